import { openedChannel } from '../output/own-paths.ts'
import type { Channel } from '../protocol.ts'

/** A child's stdio with the guest's own descriptors taken out; `owned[i]` says where the bytes of slot `i` belong. */
export interface Claim { readonly slots: readonly unknown[]; readonly owned: readonly (Channel | undefined)[] }

const FD_CHANNELS: Readonly<Record<number, Channel>> = { 1: 'stdout', 2: 'stderr' }
/** The protocol's descriptor: no child ever gets it. */
const PROTOCOL_FD = 3

/**
 * Replaces every slot that would hand the child the guest's output or its protocol socket. An owned slot becomes
 * `replacement(channel)`: a pipe for a child that runs beside the guest, a file for one the guest waits for.
 */
export function claimStdio(stdio: readonly unknown[], replacement: (channel: Channel) => unknown): Claim {
  const owned = stdio.map((slot, index) => {
    const fd = descriptor(slot, index)
    return openedChannel(fd) ?? FD_CHANNELS[fd ?? -1]
  })
  const slots = stdio.map((slot, index) => {
    const channel = owned[index]
    if (channel !== undefined) return replacement(channel)
    return descriptor(slot, index) === PROTOCOL_FD ? 'ignore' : slot
  })
  return { slots, owned }
}

/** Node's short form, `stdio: 'inherit'`, as a list. */
export const stdioList = (stdio: unknown): readonly unknown[] => Array.isArray(stdio) ? stdio : [stdio, stdio, stdio]

/** The guest's descriptor a slot stands for: 'inherit', a number, or a stream or file that wraps one. */
function descriptor(slot: unknown, index: number): number | undefined {
  if (slot === 'inherit') return index
  if (typeof slot === 'number') return slot
  if (typeof slot !== 'object' || slot === null) return undefined
  if (slot === process.stdout || slot === bun?.stdout) return 1
  if (slot === process.stderr || slot === bun?.stderr) return 2
  const { fd } = slot as { fd?: unknown }
  return typeof fd === 'number' ? fd : undefined
}

const bun = (globalThis as { Bun?: { stdout: unknown; stderr: unknown } }).Bun
