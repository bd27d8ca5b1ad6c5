import type { Sender } from './channel/sender.ts'
import { installAttribution } from './attribution/index.ts'
import { createCellEngine, describeStack } from './cell/index.ts'
import { showWrittenText } from './cell/function-text.ts'
import { writeOwnStacks } from './cell/own-stacks.ts'
import { cleanReasons } from './cell/reasons.ts'
import { loadResolver } from './cell/resolve.ts'
import { loadInspector } from './describe/inspector.ts'
import { describeThrown } from './describe/thrown.ts'
import { alikeShapes } from './describe/shapes.ts'
import { listNames } from './names.ts'
import { captureGlobals, type Globals } from './globals.ts'
import { globalsNotice } from './globals-notice.ts'
import { loadHalves, noParts } from './halves.ts'
import { Bridge, Handles } from './handles.ts'
import type { Boot } from './protocol.ts'
import { createGuestHooks } from './hooks.ts'
import { whenIdle } from './idle.ts'
import { Lookout } from './lookout.ts'
import { Namespace } from './namespace.ts'
import { installLastWords } from './output/last-words.ts'
import { installOutput } from './output/install.ts'
import { Outbox } from './output/outbox.ts'
import { Runner } from './runner.ts'
import { installProcesses } from './processes/index.ts'
import { createStore, type Store } from './store/index.ts'
import { keepWebGlobals } from './store/kind.ts'
import { Origins } from './store/origins.ts'

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

const { cwd } = process
const startFolder = cwd()

/** After `ready`, how long checks wait so that a first cell is not delayed, in milliseconds. */
const IDLE_MS = 4_000

/** The same for what the engine keeps before any code of a cell, or of a module that a restore imports, has run. */
const KEEP_MS = 200

/** Builds the guest from its boot command: output first, then the halves in order, then one empty cell to prime them. */
export async function createSession(sender: Sender, command: Boot): Promise<Session> {
  const outbox = new Outbox(frame => { sender.send(frame) })
  // Until the originals are known, nothing can have replaced them.
  let captured: Globals | undefined
  const clean: Globals['clean'] = work => captured === undefined ? work() : captured.clean(work)
  const cleanAll: Globals['cleanAll'] = work => captured === undefined ? work() : captured.cleanAll(work)
  installLastWords(() => { outbox.flush(); sender.flush() })
  const reinstallOutput = installOutput(outbox, { clean, cleanAll, watch: (holder, key, label) => { captured?.watch(holder, key, label) } })
  const unattributed = (chars: number): void => { outbox.orphan(chars) }
  const attribution = installAttribution({ tag: command.tag, unattributed, describe: thrown => cleanAll(() => describeText(thrown)), cell: number => runner.known(number) })
  const resolver = loadResolver()
  const processes = await installProcesses({ tag: command.tag, unattributed })
  // After the wrappers, which are the originals as far as cells are concerned.
  alikeShapes()
  showWrittenText()
  writeOwnStacks(clean)
  cleanReasons()
  const globals = captured = captureGlobals()
  const namespace = new Namespace()
  const hooks = createGuestHooks()
  const bridge = new Bridge(call => { sender.gather(call) })
  const handles = new Handles(bridge, (name, value) => { namespace.own(name, value) })
  const parts = noParts()
  const notice = (text: string): void => { sender.send({ type: 'notice', text }) }
  const tellChanged = globalsNotice(notice, handles)
  const resetGlobals = (): readonly string[] => { const names = globals.reset(); reinstallOutput(); return names }

  await loadHalves(command, { namespace, hooks, bridge, handles, parts, notice, resetGlobals, clean: globals.clean })
  handles.fromHost(command.handles)

  const origins = new Origins()
  const cells = createCellEngine({ namespace, hooks, transforms: parts.transforms, importers: parts.importers, preparations: [...parts.preparations, source => { processes.prepare(source); return store.prepare(source) }], cwd: folder, globals,
    imported: (space, specifier, attributes) => { origins.note(space, specifier, attributes) }, required: (value, specifier) => { origins.noteRequired(value, specifier) } })
  let touchedTold = false
  const store: Store = createStore({
    namespace, hooks, serializers: parts.serializers, path: command.state?.path ?? null, runtime: versionOf(), notice, clean: globals.clean,
    imports: { origins, loader: { check: specifier => { cells.modules.check(specifier) }, import: (specifier, attributes) => cells.modules.import(specifier, attributes && { with: attributes }) } },
    ...(parts.limits && { limits: parts.limits }),
    onTouch: () => {
      if (!runner.idle || touchedTold) return
      touchedTold = true
      sender.send({ type: 'touched' })
    },
  })
  let kept = false
  const keepOriginals = (): void => {
    if (kept) return
    kept = true
    globals.complete()
    loadInspector()
    keepWebGlobals()
  }
  const saves: (() => void)[] = []
  const lookout = new Lookout(() => { namespace.look() })
  const runner: Runner = new Runner({
    send: frame => { sender.send(frame) }, outbox, cells, globals, stackOf: describeStack,
    openMeter: (cell, max) => parts.openMeter?.(cell, max) ?? null,
    beforeCell: (cell, changed) => {
      touchedTold = false
      lookout.stop()
      store.cell()
      attribution.assert()
      for (let i = 0; i < parts.beforeCell.length; i++) parts.beforeCell[i]?.(cell)
      tellChanged(changed)
    },
    beforeBody: keepOriginals,
    keepVital: () => {
      const names = globals.keepVital()
      if (names.length > 0) globals.clean(() => { notice(`A cell replaced ${names.join(', ')}. The runtime cannot go on without the original, so it was put back.`) })
    },
    afterCell: () => {
      store.cellEnded()
      while (saves.length > 0) saves.shift()?.()
      if (command.state !== null) lookout.start()
    },
    endChildrenOf: cell => { processes.endChildrenOf(cell) },
    drain: cell => processes.drain(cell),
    guard: () => { namespace.guarded = true },
  })
  await resolver
  await primed(cells)

  return {
    runner, bridge,
    ready: () => {
      sender.send({ type: 'ready', halves: command.halves.map(half => half.name), version: versionOf(), notes: [] })
      whenIdle(KEEP_MS, keepOriginals)
      whenIdle(IDLE_MS, () => { void attribution.selfTest(versionOf()).then(problem => { if (problem !== undefined) notice(problem) }) })
    },
    names: ask => { globals.clean(() => { sender.send({ type: 'names', ask, names: listNames(namespace) }) }) },
    save: ask => {
      const work = (): void => {
        touchedTold = false
        globals.holdAll(() => store.save()).then(report => { sender.send({ type: 'saved', ask, report }) }, (error: unknown) => { sender.send({ type: 'refused', ask, error: describeThrown(error) }) })
      }
      if (runner.idle) work()
      else saves.push(work)
    },
    restore: (ask, generation) => {
      keepOriginals()
      runner.exclusive(() => globals.holdAll(() => store.restore(generation)).then(
        report => { sender.send({ type: 'restored', ask, report }) },
        (error: unknown) => { sender.send({ type: 'refused', ask, error: describeThrown(error) }) },
      ))
    },
    close: () => { lookout.stop(); outbox.flush(); store.close() },
  }
}

/** The working directory; where the guest started when a cell removed the one it is in. */
function folder(): string {
  try { return cwd() } catch { return startFolder }
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

function versionOf(): string {
  return process.versions.bun === undefined ? `node ${process.versions.node}` : `bun ${process.versions.bun}`
}
