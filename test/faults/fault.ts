import { expect } from 'vitest'
import type { EngineManager, EngineOptions, EngineSupervisor, Preset, SupervisorOptions } from '../../kernel/index.ts'

/** What a scenario works with; everything it opens is closed for it. */
export interface FaultContext {
  readonly preset: Preset
  readonly engine: (options?: Partial<EngineOptions>) => EngineManager
  readonly supervisor: (options?: Partial<SupervisorOptions>) => EngineSupervisor
  readonly folder: () => string
}

/** Acts a case out, and fails when the engine does not do what the case expects. */
export type Scenario = (context: FaultContext) => Promise<void>

/** Scenarios by the id of their case: the default export of every `test/**\/*.faults.ts`. */
export type Scenarios = Readonly<Record<string, Scenario>>

/** After whatever happened, the notebook works. */
export async function stillWorks(notebook: Pick<EngineManager, 'execute'>): Promise<void> {
  expect(await notebook.execute('1 + 1')).toMatchObject({ status: 'ok', result: '2' })
}

/** The guest's process as the kernel's own tests may see it: its channel, from the inside. */
export interface Insides {
  readonly pid: number
  readonly link: { readonly key: Buffer; readonly socket: import('node:stream').Duplex }
}

/** Reaches into an engine for what no caller gets: the key, and the socket of the channel. */
export const insidesOf = (engine: EngineManager): Insides => (engine as unknown as { guest: Insides }).guest
