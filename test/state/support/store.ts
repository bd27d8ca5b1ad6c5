import type { SnapshotReport } from '../../../guest/protocol.ts'
import { SavedNames } from '../../../kernel/saved-names.ts'
import { createGuestHooks } from '../../../guest/hooks.ts'
import type { Serializer, StateLimits } from '../../../guest/guest.ts'
import { Namespace } from '../../../guest/namespace.ts'
import { createStore, type Store } from '../../../guest/store/index.ts'
import { type Disk, realDisk } from '../../../guest/store/disk.ts'
import type { Machine } from '../../../guest/store/lock.ts'
import { serovalSerializer } from '../../../plugins/seroval-serializer/guest.ts'
import { v8Serializer } from '../../../plugins/v8-serializer/guest.ts'

export interface OpenOptions {
  readonly serializers?: readonly Serializer[]
  readonly disk?: Disk
  readonly limits?: StateLimits
  /** Leaves every value on disk until it is read. */
  readonly lazy?: boolean
  readonly runtime?: string
  readonly machine?: Machine
}

/** A store over a folder, without an engine around it. */
export interface Notebook {
  readonly namespace: Namespace
  readonly store: Omit<Store, 'save'> & { save(): Promise<SnapshotReport> }
  readonly notices: string[]
  get(name: string): unknown
  set(name: string, value: unknown): void
  /** What a process does that ends without a word: nothing is written, the lock stays. */
  crash(): void
}

/** One process after another has the lock, as if each had ended when the next begins. */
let processes = 0

export function openNotebook(path: string, options: OpenOptions = {}): Notebook {
  const namespace = new Namespace()
  const hooks = createGuestHooks()
  if (options.lazy === true) hooks.onRestore.tap('lazy', () => 'defer')
  const notices: string[] = []
  const pid = ++processes
  const store = createStore({
    namespace, hooks, path, notice: text => notices.push(text), serializers: options.serializers ?? [v8Serializer, serovalSerializer], runtime: options.runtime ?? 'node test',
    disk: options.disk ?? realDisk, machine: options.machine ?? { self: () => ({ pid, started: String(pid), boot: 'b', host: 'h' }), started: () => undefined },
    imports: { origins: { of: () => undefined }, loader: { check: () => {}, import: specifier => import(specifier) } },
    ...(options.limits && { limits: options.limits }),
  })
  const names = new SavedNames()
  return {
    namespace, notices,
    store: {
      save: async () => names.report(await store.save()), restore: generation => store.restore(generation), forgotten: name => { store.forgotten(name) },
      cell: () => { store.cell() }, cellEnded: () => { store.cellEnded() }, prepare: source => store.prepare(source), about: name => store.about(name), close: () => { store.close() },
    },
    get: name => namespace.box(name).v,
    set: (name, value) => { namespace.box(name).v = value },
    crash: () => { namespace.onTouch = () => {} },
  }
}
