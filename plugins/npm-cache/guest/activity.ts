import { readFileSync } from './builtins.ts'

/**
 * A number that grows while a process moves data: bytes it read and wrote, plus the most memory it ever held, since
 * an installer may keep a download in memory. Undefined where the system does not tell (only Linux does).
 */
export function activityOf(pid: number): number | undefined {
  try {
    const io = readFileSync(`/proc/${pid}/io`, 'latin1')
    const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
    return count(io, 'rchar') + count(io, 'wchar') + Number(peak ?? 0) * 1024
  } catch { return undefined }
}

const count = (text: string, field: string): number => Number(new RegExp(`${field}: (\\d+)`).exec(text)?.[1] ?? 0)
