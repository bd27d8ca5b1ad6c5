import { readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { EngineManager, Json, Preset } from '../../../kernel/index.ts'
import { openEngine } from '../../support/engine.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { preset as bun } from '../../../presets/default.ts'
import { preset as node } from '../../../presets/node.ts'
import { StubRegistry } from './registry.ts'

/** The presets whose guests differ in installer and in resolution. */
export const guests: readonly Preset[] = [bun, node]

/** A registry that closes when the test is over. */
export async function openRegistry(): Promise<StubRegistry> {
  const registry = await StubRegistry.open()
  onTestFinished(() => registry.close())
  return registry
}

/** A cache folder, and engines that use it with a registry. */
export class Workbench {
  readonly cache = temporaryFolder()
  readonly cwd = temporaryFolder()
  readonly home = temporaryFolder()
  readonly registry: StubRegistry
  readonly preset: Preset
  constructor(preset: Preset, registry: StubRegistry) {
    this.preset = preset
    this.registry = registry
  }

  /** What the guest's environment is; nothing of this machine's npm configuration is in it. */
  get env(): Record<string, string> {
    const kept = Object.entries(process.env).filter(([name, value]) => value !== undefined && !/^npm_/i.test(name)) as [string, string][]
    return { ...Object.fromEntries(kept), HOME: this.home, PI_RLM_NPM_CACHE_DIR: this.cache, npm_config_registry: this.registry.url }
  }

  open(options: Readonly<Record<string, Json>> = {}, env: Readonly<Record<string, string>> = {}): EngineManager {
    return openEngine({ preset: this.preset, options: { 'npm-cache': options }, cwd: this.cwd, env: { ...this.env, ...env } })
  }

  /** The folders of one part of the cache, over every runtime. */
  list(part: 'entries' | 'staging' | 'aside'): string[] {
    return readdirSync(this.cache).flatMap(runtime => {
      try { return readdirSync(join(this.cache, runtime, part)).map(name => join(this.cache, runtime, part, name)) } catch { return [] }
    }).sort()
  }

  /** Pids of the installers at work for this cache: those whose working directory lies in it. */
  installers(): number[] {
    return readdirSync('/proc').map(Number).filter(pid => {
      try { return Number.isInteger(pid) && readlinkSync(`/proc/${pid}/cwd`).startsWith(this.cache) } catch { return false }
    })
  }
}
