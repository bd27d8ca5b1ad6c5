import type { CellEngine, PreparedCell } from './cell/index.ts'
import { released } from './cell/held.ts'
import { type CellContext, runInCell } from './context.ts'
import { describeThrown, type StackReader } from './describe/thrown.ts'
import { toJsonText } from './describe/json.ts'
import { render } from './describe/value.ts'
import type { Globals } from './globals.ts'
import type { OutputMeter } from './guest.ts'
import type { Outbox } from './output/outbox.ts'
import { Printer } from './output/printer.ts'
import type { CellEnd, CellRef, ChannelEnds, Command, Frame } from './protocol.ts'
import { Turns } from './turns.ts'

const { apply } = Reflect
const { then } = Promise.prototype
const { defineProperty } = Object
const { abort } = AbortController.prototype
const { get, set, delete: remove } = Map.prototype
const soon = setImmediate
const later = setTimeout
const signalOf = Object.getOwnPropertyDescriptor(AbortController.prototype, 'signal')?.get as () => AbortSignal

const Controller = AbortController
const UNCHANGED: readonly string[] = []
/** On its own, since a cell may plant accessors on Object.prototype. */
const OWN = { __proto__: null, value: undefined } as PropertyDescriptor

/** Characters of a result that are sent without a meter, and of a result as JSON. */
const RESULT_CAP = 256 * 1024
const JSON_CAP = 1 << 20
/** How long after late output its totals are told, in milliseconds. */
const LATE_ENDS_MS = 300
/** Cells, ended ones included, that can still be found by number. */
const KNOWN_CELLS = 64

type RunCommand = Extract<Command, { type: 'run' }>

export interface RunnerParts {
  readonly send: (frame: Frame) => void
  readonly outbox: Outbox
  readonly cells: CellEngine
  readonly globals: Globals
  readonly stackOf: StackReader
  readonly openMeter: (cell: CellRef, maxChars: number | null) => OutputMeter | null
  /** Called before each cell: plugins re-assert what cells may have replaced; `changed` names the globals that are not what they were. */
  readonly beforeCell: (cell: CellRef, changed: readonly string[]) => void
  /** Called before a cell's body runs, unless it is one that can replace nothing. */
  readonly beforeBody: () => void
  /** Called before a cell, and when its body let go: puts back what no runtime goes on without. */
  readonly keepVital: () => void
  /** Called at each cell boundary, after an end was told: saves that wait start here. */
  readonly afterCell: () => void
  readonly endChildrenOf: (cell: CellContext) => void
  /** Resolves when the output of the cell's finished children has been printed. */
  readonly drain: (cell: CellContext) => Promise<void>
  /** The first write of an aborted cell must be refused from now on. */
  readonly guard: () => void
}

interface LiveCell { readonly command: RunCommand; readonly context: CellContext; readonly controller: AbortController; printer: Printer | null; ended: boolean; lateTimer: boolean }

/** Runs one cell after the other and tells the end of each exactly once. */
export class Runner {
  private readonly parts: RunnerParts
  private readonly live = new Map<string, LiveCell>()
  private readonly recent = new Map<number, CellContext>()
  private readonly turns = new Turns()
  private current: LiveCell | null = null

  constructor(parts: RunnerParts) { this.parts = parts }

  get idle(): boolean { return !this.turns.busy }

  /** A recent cell by its number. */
  known(number: number): CellContext | undefined { return apply(get, this.recent, [number]) as CellContext | undefined }

  run(command: RunCommand): void {
    const cell = this.open(command)
    apply(set, this.live, [keyOf(cell), cell])
    apply(set, this.recent, [command.cell.number, cell.context])
    apply(remove, this.recent, [command.cell.number - KNOWN_CELLS])
    this.turns.enqueue(() => { this.start(cell) })
  }

  /** Work that needs the namespace to itself, such as a restore; cells wait for it. */
  exclusive(work: () => Promise<void>): void {
    this.turns.enqueue(() => { this.settle(work(), () => { this.turns.next() }, () => { this.turns.next() }) })
  }

  abort(id: string): void {
    const cell = apply(get, this.live, [id]) as LiveCell | undefined
    if (cell === undefined || cell.ended) return
    this.parts.guard()
    cell.context.state = 'aborted'
    // The end is told even if a listener of the cell throws or a child cannot be found.
    try { apply(abort, cell.controller, [new Error(`cell ${cell.command.cell.number} was cancelled`)]) } catch { /* the cell's own listener */ }
    try { this.parts.endChildrenOf(cell.context) } catch { /* nothing left to end */ }
    this.end(cell, { type: 'aborted', cell: id })
  }

  private open(command: RunCommand): LiveCell {
    const { id, number, source } = command.cell
    const controller = new Controller()
    const cell: LiveCell = {
      command, controller, printer: null, ended: false, lateTimer: false,
      context: {
        id, number, source, signal: apply(signalOf, controller, []), state: 'running',
        print: (channel, text) => {
          if (cell.context.state === 'aborted') return
          cell.printer?.print(channel, text)
          if (cell.ended) this.lateEnds(cell)
        },
      },
    }
    return cell
  }

  private start(cell: LiveCell): void {
    if (cell.ended) { this.turns.next(); return }
    this.current = cell
    // A fresh task: never inside the callback that read the command, whose stack and context are not the cell's.
    soon(() => {
      if (cell.ended) return
      const { globals, keepVital } = this.parts
      const failed = (error: unknown): void => { this.failed(cell, error) }
      const run = (prepared: PreparedCell): void => {
        if (cell.ended) return
        if (!prepared.literal) this.parts.beforeBody()
        const running = runInCell(cell.context, () => prepared.run())
        keepVital()
        this.settle(running, value => { this.finished(cell, value) }, failed)
      }
      keepVital()
      const seen = globals.dirty() ? globals.changed() : UNCHANGED
      this.tried(() => globals.clean(() => this.ready(cell, seen)), run, error => {
        // Not all that the engine may come upon is looked at before each cell: once more, with every original in place.
        const changed = globals.changed()
        if (changed.length === 0 || cell.ended) failed(error)
        else this.tried(() => globals.holdAll(() => this.ready(cell, changed)), run, failed)
      })
    })
  }

  private tried(work: () => Promise<PreparedCell>, ok: (prepared: PreparedCell) => void, bad: (error: unknown) => void): void {
    try { this.settle(work(), ok, bad) } catch (error) { bad(error) }
  }

  /** The engine's own part before a cell. */
  private ready(cell: LiveCell, changed: readonly string[]): Promise<PreparedCell> {
    const { cells, outbox, beforeCell, openMeter } = this.parts
    const { id, number } = cell.command.cell
    cell.printer = new Printer(keyOf(cell), outbox, openMeter({ id, number }, cell.command.maxOutput))
    beforeCell({ id, number }, changed)
    return runInCell(cell.context, () => cells.prepare(cell.command.cell))
  }

  private finished(cell: LiveCell, value: unknown): void { this.ending(cell, () => this.done(cell, released(value))) }

  private failed(cell: LiveCell, error: unknown): void {
    this.ending(cell, () => ({ type: 'threw', cell: keyOf(cell), error: describeThrown(error, this.parts.stackOf) }))
  }

  /** The engine's own part after a cell. Whatever goes wrong in it, the end is told. */
  private ending(cell: LiveCell, frame: () => CellEnd): void {
    if (cell.ended) return
    const { globals, drain, keepVital } = this.parts
    keepVital()
    const end = (): void => { globals.clean(() => { this.end(cell, attempted(cell, frame, globals)) }) }
    try {
      this.settle(globals.clean(() => drain(cell.context)), end, end)
    } catch {
      end()
    }
  }

  private done(cell: LiveCell, value: unknown): CellEnd {
    const { command } = cell
    const id = keyOf(cell)
    return runInCell(cell.context, () => {
      const json = command.json ? toJsonText(value, JSON_CAP) : null
      const plain = json !== null && 'text' in json ? { json: json.text } : {}
      if (value === undefined) return { type: 'done', cell: id, shown: null }
      const { text: whole, total } = render(value)
      const { text, cut } = cell.printer?.result(whole, RESULT_CAP) ?? { text: '' }
      return { type: 'done', cell: id, shown: text, ...(cut && { cut: total === undefined ? cut : { ...cut, total } }), ...plain }
    })
  }

  private end(cell: LiveCell, frame: CellEnd): void {
    if (cell.ended) return
    cell.ended = true
    apply(remove, this.live, [keyOf(cell)])
    const { printer, context } = cell
    if (context.state === 'running') context.state = 'over'
    // Output is best effort, the end is not.
    try {
      printer?.finish()
      this.parts.outbox.flush()
      this.tellEnds(cell, printer?.ends() ?? {})
    } catch { /* the disk is full, or memory is */ }
    this.parts.send(frame)
    this.parts.afterCell()
    if (this.current !== cell) return
    this.current = null
    this.turns.next()
  }

  private tellEnds(cell: LiveCell, ends: ChannelEnds): void {
    if (ends.stdout !== undefined || ends.stderr !== undefined) this.parts.send({ type: 'ends', cell: keyOf(cell), ends })
  }

  private lateEnds(cell: LiveCell): void {
    if (cell.lateTimer) return
    cell.lateTimer = true
    const timer = later(() => {
      cell.lateTimer = false
      this.parts.outbox.flush()
      this.tellEnds(cell, cell.printer?.ends() ?? {})
    }, LATE_ENDS_MS) as { unref?: () => void }
    timer.unref?.()
  }

  /** `then` as it was at the start, on a promise whose species a cell cannot have chosen. */
  private settle<T>(promise: Promise<T>, ok: (value: T) => void, bad: (error: unknown) => void): void {
    void defineProperty(promise, 'constructor', OWN)
    apply(then, promise, [ok, bad])
  }
}

/** The frame of a cell's end; when it cannot be made, not even with all the originals in place, one that says so. */
function attempted(cell: LiveCell, frame: () => CellEnd, { cleanAll }: Globals): CellEnd {
  try { return frame() } catch { /* something the engine did not look for */ }
  try {
    return cleanAll(frame)
  } catch (error) {
    return { type: 'threw', cell: keyOf(cell), error: describeThrown(error) }
  }
}

/** Cells cross the channel by number: an id is the caller's, and may be used again. */
const keyOf = (cell: LiveCell): string => `${cell.command.cell.number}`
