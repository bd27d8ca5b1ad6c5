import type { EngineManager, EngineOptions, EngineSupervisor, Preset, SupervisorOptions } from '../../kernel/index.ts'

/** What a case works with: everything it opens is closed for it. */
export interface ContractContext {
  readonly preset: Preset
  /** An engine over the preset, not started. */
  engine(options?: Partial<EngineOptions>): EngineManager
  supervisor(options?: Partial<SupervisorOptions>): EngineSupervisor
  /** A fresh temporary folder. */
  folder(): string
}

/** One promise of the engine, as a behaviour that every preset shows. */
export interface ContractCase {
  /** A sentence a user would sign. */
  readonly title: string
  /** Why it matters to that user. */
  readonly why: string
  /** Plugins without which it makes no sense; a preset that lacks one leaves the case out. */
  readonly needs: readonly string[]
  run(context: ContractContext): Promise<void>
}
