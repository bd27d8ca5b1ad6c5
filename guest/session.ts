import type { Sender } from './channel/sender.ts'
import { installAttribution } from './attribution/index.ts'
import { createCellEngine, describeStack, type Preparation } from './cell/index.ts'
import { currentCell, runInCell } from './context.ts'
import { describeThrown } from './describe/thrown.ts'
import { alikeShapes } from './describe/shapes.ts'
import { listNames } from './names.ts'
import { captureGlobals, type Globals } from './globals.ts'
import type { CellRef, Boot } from './protocol.ts'
import type { Guest, GuestHalf, Importer, OutputMeter, Serializer, StateLimits, Transform } from './guest.ts'
import { Bridge, Handles } from './handles.ts'
import { createGuestHooks } from './hooks.ts'
import { Namespace } from './namespace.ts'
import { installLastWords } from './output/last-words.ts'
import { installOutput } from './output/install.ts'
import { Outbox } from './output/outbox.ts'
import { Runner } from './runner.ts'
import { installProcesses } from './processes/index.ts'
import { createStore, type Store } from './store/index.ts'

/** What the commands of the host act on, once the halves are loaded. */
export interface Session {
  readonly runner: Runner
  readonly bridge: Bridge
  ready(): void
  names(ask: number): void
  save(ask: number): void
  restore(ask: number, generation: number | null): void
  close(): void
}

/** After `ready`, how long checks wait so that a first cell is not delayed, in milliseconds. */
const IDLE_MS = 1_500

/** What the halves have put in, in the preset's order. */
interface Parts {
  readonly transforms: Transform[]
  readonly serializers: Serializer[]
  readonly importers: Importer[]
  readonly preparations: Preparation[]
  readonly beforeCell: ((cell: CellRef) => void)[]
  openMeter: ((cell: CellRef, maxChars: number | null) => OutputMeter) | null
  limits: StateLimits | undefined
}

/** Builds the guest from its boot command: output first, then the halves in order, then one empty cell to prime them. */
export async function createSession(sender: Sender, command: Boot): Promise<Session> {
  const outbox = new Outbox(frame => { sender.send(frame) })
  // Until the originals are known, nothing can have replaced them.
  let clean: Globals['clean'] = work => work()
  installLastWords(outbox)
  const reinstallOutput = installOutput(outbox, work => clean(work))
  const unattributed = (chars: number): void => { outbox.orphan(chars) }
  const attribution = installAttribution({ unattributed, describe: thrown => clean(() => describeText(thrown)), cell: number => runner.known(number) })
  const processes = await installProcesses({ tag: command.tag, unattributed })
  // After the wrappers, which are the originals as far as cells are concerned.
  alikeShapes()
  const globals = captureGlobals()
  clean = globals.clean
  const namespace = new Namespace()
  const hooks = createGuestHooks()
  const bridge = new Bridge(frame => { sender.send(frame) })
  const handles = new Handles(bridge, (name, value) => { namespace.own(name, value) })
  const parts: Parts = { transforms: [], serializers: [], importers: [], preparations: [], beforeCell: [], openMeter: null, limits: undefined }
  const notice = (text: string): void => { sender.send({ type: 'notice', text }) }
  const resetGlobals = (): readonly string[] => { const names = globals.reset(); reinstallOutput(); return names }

  await loadHalves(command, { namespace, hooks, bridge, handles, parts, notice, resetGlobals, clean: globals.clean })
  handles.fromHost(command.handles)

  const cells = createCellEngine({ namespace, hooks, transforms: parts.transforms, importers: parts.importers, preparations: parts.preparations, cwd: () => process.cwd(), globals })
  let touchedTold = false
  const store: Store = createStore({
    namespace, hooks, serializers: parts.serializers, path: command.state?.path ?? null, runtime: versionOf(), notice,
    ...(parts.limits && { limits: parts.limits }),
    onTouch: () => {
      if (!runner.idle || touchedTold) return
      touchedTold = true
      sender.send({ type: 'touched' })
    },
  })
  const saves: (() => void)[] = []
  const runner: Runner = new Runner({
    send: frame => { sender.send(frame) }, outbox, cells, globals, stackOf: describeStack,
    openMeter: (cell, max) => parts.openMeter?.(cell, max) ?? null,
    beforeCell: (cell, changed) => {
      touchedTold = false
      store.cell()
      attribution.assert()
      for (let i = 0; i < parts.beforeCell.length; i++) parts.beforeCell[i]?.(cell)
      tellChanged(changed, notice, handles)
    },
    afterBody: () => {
      const kept = globals.keepVital()
      if (kept.length > 0) globals.clean(() => { notice(`A cell replaced ${kept.join(', ')}. The runtime cannot go on without the original, so it was put back.`) })
    },
    afterCell: () => { while (saves.length > 0) saves.shift()?.() },
    endChildrenOf: cell => { processes.endChildrenOf(cell) },
    drain: cell => processes.drain(cell),
    guard: () => { namespace.guarded = true },
  })
  await primed(cells)

  return {
    runner, bridge,
    ready: () => {
      sender.send({ type: 'ready', halves: command.halves.map(half => half.name), version: versionOf(), notes: [] })
      idly(() => attribution.selfTest(versionOf()).then(problem => { if (problem !== undefined) notice(problem) }))
    },
    names: ask => { globals.clean(() => { sender.send({ type: 'names', ask, names: listNames(namespace) }) }) },
    save: ask => {
      const work = (): void => {
        touchedTold = false
        globals.clean(() => store.save()).then(report => { sender.send({ type: 'saved', ask, report }) }, (error: unknown) => { sender.send({ type: 'refused', ask, error: describeThrown(error) }) })
      }
      if (runner.idle) work()
      else saves.push(work)
    },
    restore: (ask, generation) => {
      runner.exclusive(() => store.restore(generation).then(
        report => { sender.send({ type: 'restored', ask, report }) },
        (error: unknown) => { sender.send({ type: 'refused', ask, error: describeThrown(error) }) },
      ))
    },
    close: () => { outbox.flush(); store.close() },
  }
}

interface HalfSurroundings {
  readonly namespace: Namespace
  readonly hooks: Guest['hooks']
  readonly bridge: Bridge
  readonly handles: Handles
  readonly parts: Parts
  notice(text: string): void
  resetGlobals(): readonly string[]
  clean: Globals['clean']
}

/** Imports each half and hands it its API. All are fetched at once and applied in the preset's order. */
async function loadHalves(command: Boot, { namespace, hooks, bridge, handles, parts, notice, resetGlobals, clean }: HalfSurroundings): Promise<void> {
  const guest: Guest = {
    hooks, namespace, runtime: command.runtime, statePath: command.state?.path ?? null, currentCell, runInCell, notice, resetGlobals, clean,
    transform: transform => { parts.transforms.push(transform) },
    serializer: serializer => { parts.serializers.push(serializer) },
    stateLimits: limits => { parts.limits = limits },
    importer: importer => { parts.importers.push(importer) },
    prepare: preparation => { parts.preparations.push(preparation) },
    outputMeter: open => { parts.openMeter = open },
    handle: (name, methods) => { handles.add(name, methods) },
    own: (name, value) => { namespace.own(name, value) },
    global: (name, value) => { namespace.global(name, value) },
    call: (handle, name, args) => bridge.call(handle, name, args),
    beforeCell: task => { parts.beforeCell.push(task) },
  }
  const loading = command.halves.map(half => (import(half.url) as Promise<{ default?: GuestHalf<unknown> }>).then(module => ({ module }), (error: unknown) => ({ error })))
  for (const [i, half] of command.halves.entries()) {
    const loaded = await loading[i]
    const apply = loaded !== undefined && 'module' in loaded ? loaded.module.default : undefined
    if (loaded !== undefined && 'error' in loaded) throw new Error(`the guest half of plugin '${half.name}' cannot be loaded: ${describeThrown(loaded.error).message}`, { cause: loaded.error })
    if (typeof apply !== 'function') throw new Error(`the guest half of plugin '${half.name}' has no default export that is a function (${half.url})`)
    try {
      await apply(guest, half.options)
    } catch (cause) {
      throw new Error(`the guest half of plugin '${half.name}' failed to start: ${describeThrown(cause).message}`, { cause })
    }
  }
}

/** Runs the empty cell through every hook: it warms the parser and lets a broken transform fail before the first cell. */
async function primed(cells: ReturnType<typeof createCellEngine>): Promise<void> {
  await cells.prepare({ id: '', number: 0, source: '' })
}

/** A stray throw as a cell's stderr shows it. */
function describeText(thrown: unknown): string {
  const { name, message, stack } = describeThrown(thrown, describeStack)
  return [`${name}: ${message}`, ...stack.map(line => `    ${line}`)].join('\n')
}

/** Changed globals named in one notice. */
const NAMED = 12
let told = ''
/** Says once which globals cells have replaced, and how to have them back. */
function tellChanged(changed: readonly string[], notice: (text: string) => void, handles: Handles): void {
  const names = changed.slice(0, NAMED).join(', ')
  if (names === told) return
  told = names
  if (names === '') return
  const more = changed.length > NAMED ? ` and ${changed.length - NAMED} more` : ''
  notice(`A cell replaced globals: ${names}${more}.${handles.has('rlm', 'resetGlobals') ? ' rlm.resetGlobals() puts the originals back.' : ''}`)
}

/** Runs work once the guest has had nothing to do for a moment. */
function idly(work: () => Promise<void>): void {
  const timer = setTimeout(() => { void work() }, IDLE_MS)
  timer.unref()
}

function versionOf(): string {
  return process.versions.bun === undefined ? `node ${process.versions.node}` : `bun ${process.versions.bun}`
}
