import { copyFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { realDisk } from '../../../guest/store/disk.ts'
import { scan } from '../../../guest/store/format.ts'
import { dropLock, takeLock, describeOwner } from '../../../guest/store/lock.ts'
import { Log } from '../../../guest/store/log.ts'
import { RlmError } from '../../../kernel/errors.ts'
import { version } from '../version.ts'

/** Sets aside what does not verify, cuts the log to its last good generation, and removes files no value names. Answers what it did. */
export function repairStateFolder(path: string): string[] {
  const owner = takeLock(realDisk, path)
  if (owner !== null) throw new RlmError('STATE_LOCKED', 'StateError', `The state in ${path} is in use by ${describeOwner(owner)}. End that session first.`)
  try {
    const file = join(path, 'log')
    const done: string[] = []
    const log = new Log(path, realDisk, `pi-rlm ${version()}`)
    done.push(...log.open(true).notes)
    const bytes = statSync(file, { throwIfNoEntry: false }) === undefined ? Buffer.alloc(0) : realDisk.read(file)
    const { end } = scan(bytes)
    if (end < bytes.length) {
      copyFileSync(file, `${file}.new`)
      writeFileSync(`${file}.new`, bytes.subarray(0, end), { mode: 0o600, flush: true })
      renameSync(`${file}.new`, file)
      done.push(`Cut ${bytes.length - end} bytes from the end of the log.`)
    }
    const before = realDisk.list(join(path, 'blobs')).length
    log.collect()
    const removed = before - realDisk.list(join(path, 'blobs')).length
    if (removed > 0) done.push(`Removed ${removed} file${removed === 1 ? '' : 's'} that no value names.`)
    return done
  } finally { dropLock(realDisk, path) }
}
