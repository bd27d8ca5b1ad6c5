import { execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The two pi versions the extension serves. */
export const VERSIONS = ['0.73', '1.6'] as const
export type Version = typeof VERSIONS[number]

/** What a notebook's cells may run on. */
export const GUESTS = ['bun', 'node'] as const
export type Guest = typeof GUESTS[number]

/** Both versions with both guests, for what depends on the guest. */
export const SETUPS: readonly { readonly version: Version; readonly guest: Guest }[] = VERSIONS.flatMap(version => GUESTS.map(guest => ({ version, guest })))

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const E2E = join(ROOT, 'test/e2e/node_modules')

export interface Installation { readonly node: string; readonly cli: string }

/** Where each version's program is: 0.73 in the root's packages, 1.6 and its Node in those of test/e2e. */
export const installations: Readonly<Record<Version, Installation>> = {
  '0.73': { node: hostNode(), cli: join(ROOT, 'node_modules/@mariozechner/pi-coding-agent/dist/cli.js') },
  '1.6': { node: join(E2E, '.bin/node'), cli: join(E2E, '@earendil-works/pi-coding-agent/dist/bundle/cli.js') },
}

/** Under `bun --bun vitest` the test process itself is bun; pi runs on Node. */
function hostNode(): string {
  return process.versions['bun'] === undefined ? process.execPath : execFileSync('which', ['node'], { encoding: 'utf8' }).trim()
}

/** bun's own program, not the stub its package starts as. */
export function bunProgram(): string {
  const folder = dirname(createRequire(join(ROOT, 'package.json')).resolve('bun/package.json'))
  return join(folder, 'bin/bun.exe')
}

/** What a test may need of the machine. */
export type Need = Version | 'tmux' | 'rg' | 'fd' | 'git'

/** What the machine lacks for a test, as a line that names it; undefined when nothing. */
export function missing(...needs: readonly Need[]): string | undefined {
  for (const need of needs) {
    const lack = lackOf(need)
    if (lack !== undefined) return lack
  }
  return undefined
}

function lackOf(need: Need): string | undefined {
  switch (need) {
    case '0.73': return existsSync(installations['0.73'].cli) ? undefined : 'pi 0.73 is not installed: npm ci'
    case '1.6': return existsSync(installations['1.6'].cli) && existsSync(installations['1.6'].node) ? undefined : 'pi 1.6 is not installed: npm ci --prefix test/e2e'
    case 'tmux': return program('tmux') ? undefined : 'tmux is not installed: apt-get install tmux'
    case 'rg': return program('rg') ? undefined : 'ripgrep is not installed: apt-get install ripgrep'
    case 'git': return program('git') ? undefined : 'git is not installed: apt-get install git'
    case 'fd': return program('fd') ?? program('fdfind') ? undefined : 'fd is not installed: apt-get install fd-find'
  }
}

/** A program's path on this machine. */
export function program(name: string): string | undefined {
  for (const folder of (process.env['PATH'] ?? '').split(':')) {
    const path = join(folder, name)
    if (existsSync(path) && statSync(path).isFile()) return path
  }
  return undefined
}
