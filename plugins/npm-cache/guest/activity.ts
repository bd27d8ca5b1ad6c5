import { readFileSync } from './builtins.ts'

/** What a tick of processor time, 10 ms, counts for beside bytes. */
const TICK_BYTES = 10_240

/**
 * A number that grows while a process gets on: bytes it read and wrote, the most memory it ever held, since an
 * installer may keep a download in memory, and its processor time. Undefined where the system does not tell (only
 * Linux does).
 */
export function activityOf(pid: number): number | undefined {
  try {
    const of = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'latin1')
    const io = of('io')
    const stat = of('stat')
    // The command's name comes in brackets; user and system time are the 12th and 13th field after it.
    const times = stat.slice(stat.lastIndexOf(')') + 2).split(' ').slice(11, 13)
    const peak = /VmHWM:\s+(\d+)/.exec(of('status'))?.[1]
    return count(io, 'rchar') + count(io, 'wchar') + Number(peak ?? 0) * 1024 + (Number(times[0]) + Number(times[1])) * TICK_BYTES
  } catch { return undefined }
}

const count = (text: string, field: string): number => Number(new RegExp(`${field}: (\\d+)`).exec(text)?.[1] ?? 0)
