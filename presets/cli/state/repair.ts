import { copyFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createHash } from 'node:crypto'
import { realDisk } from '../../../guest/store/disk.ts'
import { scan } from '../../../guest/store/format.ts'
import { dropLock, takeLock, describeOwner } from '../../../guest/store/lock.ts'
import { Log } from '../../../guest/store/log.ts'
import { RlmError } from '../../../kernel/errors.ts'
import { version } from '../version.ts'
import { dropDamaged } from './damaged.ts'
import { readStateFolder } from './read.ts'

/**
 * Sets aside what does not verify, cuts the log to its last good generation, goes on without the names whose bytes are
 * damaged, and removes files no value names. Answers what it did.
 */
export async function repairStateFolder(path: string): Promise<string[]> {
  const owner = takeLock(realDisk, path)
  if (owner !== null) throw new RlmError('STATE_LOCKED', 'StateError', `The state in ${path} is in use by ${describeOwner(owner)}. End that session first.`)
  const log = new Log(path, realDisk, `pi-rlm ${version()}`)
  try {
    const damaged = readStateFolder(path, null).verdict === 'damaged'
    const { notes } = log.open(damaged)
    // What an earlier repair left behind in the log is in no generation that is used: nothing to tell of it again.
    return [...damaged ? notes : [], ...cut(path, 'log'), ...cutForgotten(path), ...await dropDamaged(path, log, realDisk), ...removeStrays(path, log)]
  } finally {
    log.close()
    dropLock(realDisk, path)
  }
}

function cut(path: string, name: string): string[] {
  const file = join(path, name)
  if (realDisk.stat(file) === undefined) return []
  const bytes = realDisk.read(file)
  const { end } = scan(bytes)
  if (end === bytes.length) return []
  copyFileSync(file, `${file}.new`)
  writeFileSync(`${file}.new`, bytes.subarray(0, end), { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
  return [`Cut ${bytes.length - end} bytes from the end of the ${name === 'log' ? 'log' : 'list of forgotten names'}.`]
}

function cutForgotten(path: string): string[] {
  const file = join(path, 'forgotten')
  const bytes = realDisk.stat(file) === undefined ? Buffer.alloc(0) : realDisk.read(file)
  const { rest } = scan(bytes)
  if (rest === 'none' || rest === 'newer') return []
  realDisk.copy(file, `${file}.corrupt-${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}`)
  return [...cut(path, 'forgotten'), 'A name that was forgotten may be there again: look, and forget it once more.']
}

function removeStrays(path: string, log: Log): string[] {
  const before = realDisk.list(join(path, 'blobs')).length
  log.collect()
  const removed = before - realDisk.list(join(path, 'blobs')).length
  return removed > 0 ? [`Removed ${removed} file${removed === 1 ? '' : 's'} that no value names.`] : []
}
