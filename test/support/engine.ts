import { onTestFinished } from 'vitest'
import { EngineManager, EngineSupervisor, type EngineOptions, type Preset, type SupervisorOptions } from '../../kernel/index.ts'

/** An engine that is disposed when the test is over. */
export function openEngine(options: EngineOptions): EngineManager {
  const engine = new EngineManager(options)
  onTestFinished(() => engine.dispose())
  return engine
}

/** A supervisor that is disposed when the test is over. */
export function openSupervisor(options: SupervisorOptions): EngineSupervisor {
  const supervisor = new EngineSupervisor(options)
  onTestFinished(() => supervisor.dispose())
  return supervisor
}

export const pause = (ms: number): Promise<void> => new Promise(resolve => { setTimeout(resolve, ms) })

/** Waits until `done` answers true; fails after `ms` with what was waited for. */
export async function until(what: string, done: () => boolean | Promise<boolean>, ms = 20_000): Promise<void> {
  const end = performance.now() + ms
  while (!await done()) {
    if (performance.now() > end) throw new Error(`waited ${ms} ms in vain until ${what}`)
    await pause(10)
  }
}

export type { EngineManager, EngineSupervisor, Preset }
