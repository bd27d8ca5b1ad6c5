import { join } from 'node:path'
import type { Disk } from './disk.ts'
import { StateError } from './errors.ts'
import { describeOwner, dropLock, LOCK_BEAT_MS, type Machine, takeLock } from './lock.ts'

type State = { readonly at: 'none' } | { readonly at: 'ours'; readonly beat: ReturnType<typeof setInterval> } | { readonly at: 'theirs'; readonly owner: string }
const { setInterval: every, clearInterval: never } = globalThis

interface LeaseParts { readonly path: string; readonly disk: Disk; readonly machine: Machine; readonly notice?: (text: string) => void }

/** The right to write a folder, from the first use of it to the end of the session. */
export class Lease {
  private readonly parts: LeaseParts
  private state: State = { at: 'none' }

  constructor(parts: LeaseParts) { this.parts = parts }

  get ours(): boolean { return this.state.at === 'ours' }

  /** Takes it when the folder is there; whoever has it already is told to the user. */
  take(): void {
    const { path, disk, machine, notice } = this.parts
    const folder = disk.stat(path)
    if (this.state.at !== 'none' || folder === undefined) return
    const owner = takeLock(disk, path, machine)
    if (owner !== null) {
      this.state = { at: 'theirs', owner: describeOwner(owner) }
      notice?.(`The state in ${path} is in use by ${describeOwner(owner)}: this session does not save.`)
      return
    }
    const beat = every(() => { try { disk.touch(join(path, 'lock')) } catch { /* the next one may do */ } }, LOCK_BEAT_MS)
    beat.unref()
    this.state = { at: 'ours', beat }
    if ((folder.mode & 0o077) !== 0) notice?.(`The state folder ${path} has mode ${folder.mode.toString(8).padStart(4, '0')}: other users can look into it. chmod 700 closes it.`)
  }

  /** Takes it, making the folder when it is not there; throws when somebody else has it. */
  need(): void {
    if (this.state.at === 'none') {
      this.parts.disk.makeFolder(this.parts.path)
      this.take()
    }
    if (this.state.at === 'theirs') {
      throw new StateError('STATE_LOCKED', `The state in ${this.parts.path} is in use by ${this.state.owner}: this session does not save. End the other session, or remove the file 'lock' there if it is gone.`)
    }
  }

  end(): void {
    if (this.state.at !== 'ours') return
    never(this.state.beat)
    dropLock(this.parts.disk, this.parts.path, this.parts.machine)
    this.state = { at: 'none' }
  }
}
