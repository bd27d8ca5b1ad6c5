import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { missing, type Version, VERSIONS } from './harness/installations.ts'
import { startScriptedModel } from './harness/model.ts'
import { Pi } from './harness/pi.ts'
import { cloneInto, commandsUnder, type ReadmeCommand } from './harness/readme.ts'
import { type Registry, registryWith } from './harness/registry.ts'
import { byPrompt, shownAfter } from './harness/script.ts'

const TIMEOUT_MS = 900_000
/** A first start compiles the extension. */
const START_MS = 120_000
const COMMANDS = commandsUnder('With pi')
const versionsOf = ({ comment }: ReadmeCommand): readonly Version[] => {
  const named = VERSIONS.filter(version => comment.includes(`pi ${version}`))
  return named.length > 0 ? named : VERSIONS
}
const npmSetting = (name: string): string => execFileSync('npm', ['config', 'get', name], { encoding: 'utf8' }).trim()
const lack = missing(...VERSIONS, 'tmux', 'git') ?? unreachable()
const skipped = lack !== undefined && process.env['CI'] !== 'true'

function unreachable(): string | undefined {
  try {
    execFileSync('npm', ['ping'], { stdio: 'pipe', timeout: 30_000 })
    return undefined
  } catch {
    return 'npm\'s registry does not answer'
  }
}

/** Each command of the README, in the order of the README, as a new user types it: in a clone, or in a folder of one's own. */
describe.skipIf(skipped)(`README.md, "With pi"${skipped ? ` (skipped: ${lack})` : ''}`, () => {
  const root = mkdtempSync(join(tmpdir(), 'pi-rlm-readme-'))
  const clone = join(root, 'clone')
  let tarball = ''
  let registry: Registry
  /** What a new user's npm finds on this machine beside the registry: a certificate, a cache. */
  const npm: Record<string, string> = {}

  beforeAll(async () => {
    if (lack !== undefined) throw new Error(lack)
    cloneInto(clone)
    Object.assign(npm, { npm_config_cache: npmSetting('cache'), npm_config_prefer_offline: 'true', npm_config_update_notifier: 'false' })
    for (const name of ['NODE_EXTRA_CA_CERTS', 'npm_config_registry']) if (process.env[name] !== undefined) npm[name] = process.env[name]
    const others = npmSetting('registry')
    const run = (command: string): void => { execFileSync('/bin/sh', ['-c', command], { cwd: clone, env: { PATH: process.env['PATH'] ?? '', HOME: root, ...npm, npm_config_registry: others }, stdio: 'pipe' }) }
    for (const step of new Set(COMMANDS.flatMap(({ command }) => command.split(' && ')))) if (inClone(step)) run(step)
    const [name = ''] = readdirSync(clone).filter(file => file.endsWith('.tgz'))
    tarball = join(clone, name)
    registry = await registryWith(tarball, JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8')) as { name: string; version: string }, others)
  }, TIMEOUT_MS)

  afterAll(async () => {
    await registry.close()
    await rm(root, { recursive: true, force: true })
  }, TIMEOUT_MS)

  for (const each of COMMANDS) for (const version of versionsOf(each)) {
    test(`pi ${version}: ${each.command}`, { timeout: TIMEOUT_MS }, async () => {
      const model = await startScriptedModel(byPrompt({ hello: ['const answer = 42; [answer, process.version !== "", (await tools.ls({ path: "." })).images]'] }))
      const pi = new Pi({ version, modelUrl: model.url, bun: false, flags: [], env: { ...npm, npm_config_registry: registry.url, npm_config_prefix: join(root, `global-${version}`) } })
      try {
        const steps = each.command.split(' && ').filter(step => !inClone(step))
        const starts = steps.find(step => !step.startsWith('pi install') && step.startsWith('pi'))
        copyFileSync(tarball, join(pi.work, tarball.slice(clone.length + 1)))
        for (const step of steps) if (step !== starts) await pi.shell(step)
        const tui = pi.typed(starts ?? 'pi --rlm=1', starts === undefined ? pi.work : clone)
        await tui.waitFor('scripted-model', START_MS)
        await tui.submit('hello')
        await tui.waitFor('Done: hello.', START_MS)
        expect(shownAfter(model.requests, 'hello')).toEqual(['[ 42, true, 0 ]'])
        expect(model.requests[0]?.tools).toEqual(['execute'])
        tui.keys('C-d')
        expect(await tui.exited()).toBe(0)
      } finally {
        await pi.remove()
        await model.close()
      }
    })
  }
})

/** What the maker of a clone or tarball runs; the rest is for whoever uses it. */
const inClone = (step: string): boolean => step === 'npm ci' || step === 'npm pack'
