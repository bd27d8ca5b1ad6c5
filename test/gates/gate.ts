import type { EngineManager, EngineOptions, EngineSupervisor, Preset, SupervisorOptions } from '../../kernel/index.ts'

/** One change of the sources that takes a guard out; `find` occurs exactly once in `file`. */
export interface Edit { readonly file: string; readonly find: string; readonly replace: string }

/** Something in the engine without which the gate must fail. `takenOut` completes "with … taken out". */
export interface Guard { readonly takenOut: string; readonly edits: readonly Edit[] }

/** What a gate's run works with. Everything it opens is closed when the gate is over. */
export interface GateContext {
  readonly preset: Preset
  /** The full numbers are wanted; the short form runs with every check. */
  readonly full: boolean
  /** How many rounds are required. */
  readonly rounds: number
  readonly engine: (options?: Partial<EngineOptions>) => EngineManager
  readonly supervisor: (options?: Partial<SupervisorOptions>) => EngineSupervisor
  readonly folder: () => string
  /** Counts rounds that were done. */
  readonly done: (rounds?: number) => void
  /** A figure for the line the gate prints. */
  readonly figure: (text: string) => void
}

/** A promise of the engine, tried many times over. Discovered by its file name: `test/gates/**\/*.gate.ts`, default export. */
export interface Gate {
  readonly name: string
  /** A sentence a user would sign. */
  readonly bar: string
  /** Rounds required on each guest: of `npm run gates`, and of the short form that runs with every check. */
  readonly rounds: { readonly full: number; readonly short: number }
  /** Names of the presets it runs on; absent: default and node. */
  readonly presets?: readonly string[]
  /** Each has been seen to make the gate fail; `npm run gates -- --guards NAME` shows it again. */
  readonly guards: readonly Guard[]
  run(context: GateContext): Promise<void>
}
