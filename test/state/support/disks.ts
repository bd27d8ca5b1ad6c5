import type { Disk } from '../../../guest/store/disk.ts'

/** What may happen at one step of the writer. */
export type Fault = { readonly type: 'error'; readonly code: string } | { readonly type: 'short' } | { readonly type: 'end' }

/** Steps that change what is on the disk. */
const WRITING = ['makeFolder', 'open', 'write', 'writeLater', 'sync', 'syncLater', 'truncate', 'close', 'rename', 'link', 'remove', 'copy'] as const
type Step = typeof WRITING[number]

/** Thrown at every step after the process has ended. */
export class Ended extends Error {}

export interface FaultyDisk extends Disk {
  /** The steps done so far, in order. */
  readonly steps: Step[]
  /** Has the fault happen at step number `at`, once; `end` ends the process there. */
  arm(at: number, fault: Fault): void
  disarm(): void
}

const failure = (code: string): Error => Object.assign(new Error(`${code}: injected`), { code })

/** A disk over another one that fails where it is told to. */
export function faultyDisk(under: Disk): FaultyDisk {
  const steps: Step[] = []
  let armed: { readonly at: number; readonly fault: Fault } | null = null
  let ended = false
  const step = (name: Step): Fault | null => {
    if (ended) throw new Ended('the process has ended')
    steps.push(name)
    if (armed?.at !== steps.length - 1) return null
    const { fault } = armed
    if (fault.type === 'error') throw failure(fault.code)
    if (fault.type === 'end') ended = true
    return fault
  }
  /** An end in the middle of a write leaves half of it. */
  const half = (fault: Fault | null, length: number): number => fault === null ? length : Math.floor(length / 2)
  const over = (name: Exclude<Step, 'write' | 'writeLater'>) => (...args: never[]): unknown => {
    if (step(name)?.type === 'end') throw new Ended('the process ended here')
    return (under[name] as (...args: never[]) => unknown).apply(under, args)
  }
  const write = (later: boolean) => (file: number, bytes: Uint8Array, from: number, length: number, at: number | null): number => {
    const fault = step(later ? 'writeLater' : 'write')
    const written = under.write(file, bytes, from, half(fault, length), at)
    if (fault?.type === 'end') throw new Ended('the process ended here')
    return written
  }
  const reading = Object.fromEntries((['read', 'readAt', 'list', 'stat', 'touch'] as const).map(name => [name, (...args: never[]) => (under[name] as (...args: never[]) => unknown).apply(under, args)]))
  const disk = { ...reading, steps, arm: (at: number, fault: Fault) => { armed = { at, fault } }, disarm: () => { armed = null } } as unknown as FaultyDisk
  for (const name of WRITING) if (name !== 'write' && name !== 'writeLater') Object.assign(disk, { [name]: over(name) })
  disk.write = write(false)
  disk.writeLater = (...args) => { try { return Promise.resolve(write(true)(...args)) } catch (error) { return Promise.reject(error as Error) } }
  disk.syncLater = file => { try { return Promise.resolve(over('syncLater')(file as never) as void).then(() => under.syncLater(file)) } catch (error) { return Promise.reject(error as Error) } }
  return disk
}

interface File { bytes: Buffer; synced: Buffer; dirty: Set<number> }
const SECTOR = 512

/** A disk in memory that knows what would be left of it after a power loss. */
export class MemoryDisk implements Disk {
  private names = new Map<string, File>()
  /** Names as the last sync of their folder left them, and what was done to them since. */
  private durable = new Map<string, File>()
  private pending: ((names: Map<string, File>) => void)[] = []
  private readonly handles = new Map<number, { readonly file: File | null }>()
  private next = 3
  private readonly folders = new Set<string>()

  makeFolder(path: string): void { this.folders.add(path) }
  private missing(path: string): Error { return Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' }) }
  private named(change: (names: Map<string, File>) => void): void { change(this.names); this.pending.push(change) }

  open(path: string, flags: string): number {
    let file = this.names.get(path) ?? null
    if (this.folders.has(path)) file = null
    else if (flags === 'r' || flags === 'r+') { if (file === null) throw this.missing(path) }
    else if (flags === 'wx' && file !== null) throw Object.assign(new Error('EEXIST'), { code: 'EEXIST' })
    else if (flags !== 'a' || file === null) {
      if (file === null || flags === 'w') {
        const made: File = { bytes: Buffer.alloc(0), synced: Buffer.alloc(0), dirty: new Set() }
        file = made
        this.named(names => names.set(path, made))
      }
    }
    this.handles.set(this.next, { file })
    return this.next++
  }

  write(handle: number, bytes: Uint8Array, from: number, length: number, at: number | null): number {
    const { file } = this.handles.get(handle) as { file: File }
    const start = at ?? file.bytes.length
    const end = start + length
    if (end > file.bytes.length) file.bytes = Buffer.concat([file.bytes, Buffer.alloc(end - file.bytes.length)])
    file.bytes.set(bytes.subarray(from, from + length), start)
    for (let sector = Math.floor(start / SECTOR); sector * SECTOR < end; sector++) file.dirty.add(sector)
    return length
  }

  writeLater(...args: Parameters<Disk['writeLater']>): Promise<number> { return Promise.resolve(this.write(...args)) }

  sync(handle: number): void {
    const { file } = this.handles.get(handle) as { file: File | null }
    if (file !== null) {
      file.synced = Buffer.from(file.bytes)
      file.dirty.clear()
    } else {
      this.durable = new Map(this.names)
      this.pending = []
    }
  }

  syncLater(handle: number): Promise<void> { this.sync(handle); return Promise.resolve() }
  truncate(handle: number, length: number): void { const { file } = this.handles.get(handle) as { file: File }; file.bytes = file.bytes.subarray(0, length) }
  close(handle: number): void { this.handles.delete(handle) }
  rename(from: string, to: string): void {
    const file = this.names.get(from)
    if (file === undefined) throw this.missing(from)
    this.named(names => { names.delete(from); names.set(to, file) })
  }
  link(from: string, to: string): void {
    const file = this.names.get(from)
    if (file === undefined) throw this.missing(from)
    if (this.names.has(to)) throw Object.assign(new Error('EEXIST'), { code: 'EEXIST' })
    this.named(names => names.set(to, file))
  }
  remove(path: string): void { this.named(names => names.delete(path)) }
  copy(from: string, to: string): void {
    const bytes = this.read(from)
    const file: File = { bytes, synced: bytes, dirty: new Set() }
    this.named(names => names.set(to, file))
  }
  read(path: string): Buffer {
    const file = this.names.get(path)
    if (file === undefined) throw this.missing(path)
    return Buffer.from(file.bytes)
  }
  readAt(handle: number, length: number, at: number): Buffer { return Buffer.from((this.handles.get(handle) as { file: File }).file.bytes.subarray(at, at + length)) }
  list(path: string): string[] { return [...this.names.keys()].filter(name => name.startsWith(`${path}/`)).map(name => name.slice(path.length + 1)).filter(name => !name.includes('/')) }
  stat(path: string): { size: number; mode: number; changed: number } | undefined {
    if (this.folders.has(path)) return { size: 0, mode: 0o700, changed: 0 }
    const file = this.names.get(path)
    return file === undefined ? undefined : { size: file.bytes.length, mode: 0o600, changed: 0 }
  }
  touch(): void { /* nobody looks */ }

  /** What is left: synced data, some of the sectors written since, and the first few of the changes to names. */
  afterPowerLoss(random: () => number): MemoryDisk {
    const left = new MemoryDisk()
    for (const folder of this.folders) left.folders.add(folder)
    const names = new Map(this.durable)
    for (const change of this.pending.slice(0, Math.floor(random() * (this.pending.length + 1)))) change(names)
    for (const [path, file] of names) {
      const bytes = remains(file, random)
      const kept: File = { bytes, synced: bytes, dirty: new Set() }
      left.names.set(path, kept)
      left.durable.set(path, kept)
    }
    return left
  }
}

function remains(file: File, random: () => number): Buffer {
  const kept = [...file.dirty].filter(() => random() < 0.5)
  const length = Math.max(file.synced.length, ...kept.map(sector => Math.min(file.bytes.length, (sector + 1) * SECTOR)))
  const bytes = Buffer.alloc(length)
  file.synced.copy(bytes)
  for (const sector of kept) file.bytes.copy(bytes, sector * SECTOR, sector * SECTOR, Math.min(file.bytes.length, (sector + 1) * SECTOR))
  return bytes
}

/** Numbers between 0 and 1 that are the same in every run. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0 || 1
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
