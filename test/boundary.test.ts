import { expect, test } from 'vitest'
import { importsOf, isGuestCode, type Import } from './support/imports.ts'

const all = ['kernel', 'guest', 'plugins', 'presets'].flatMap(importsOf)
const shown = ({ from, to }: Import): string => `${from} -> ${to}`
const local = ({ to }: Import): boolean => to.endsWith('.ts')
const plugin = (path: string): string => /^plugins\/([^/]+)/.exec(path)?.[1] ?? ''

/** Pure modules without a process of their own, which both sides may run. */
const SHARED = /^guest\/(protocol|blame|hash|kept|reason)\.ts$|^guest\/store\/(format|log|lock|survey|disk|history|errors)\.ts$/

test('guest code imports only guest code, and of its own plugin', () => {
  const wrong = all.filter(each => isGuestCode(each.from) && local(each)).filter(({ from, to }) => !isGuestCode(to) || (plugin(to) !== '' && plugin(to) !== plugin(from)))
  expect(wrong.map(shown)).toEqual([])
})

test('no npm package of the host gets into the guest', () => {
  const packages = new Set(all.filter(each => isGuestCode(each.from) && !local(each) && !each.type).map(({ to }) => to).filter(to => !/^(node|bun|npm):/.test(to)))
  // The last one checks answers of child agents against a schema, and is loaded when one is given.
  const allowed = ['@jridgewell/trace-mapping', 'fastest-levenshtein', 'import-meta-resolve', 'meriyah', 'semver', 'seroval', 'seroval-plugins/web', 'tapable', 'ts-blank-space', 'typescript', '@sinclair/typebox/value']
  expect([...packages].filter(name => !allowed.includes(name))).toEqual([])
})

test('the host never loads guest code, except the wire format and other pure modules', () => {
  const wrong = all.filter(each => !isGuestCode(each.from) && local(each) && !each.type && isGuestCode(each.to) && !SHARED.test(each.to))
  expect(wrong.map(shown)).toEqual([])
})

test('the kernel and the guest name no plugin, and plugins name no preset', () => {
  const wrong = all.filter(({ from, to }) => (/^(kernel|guest)\//.test(from) && /^(plugins|presets)\//.test(to)) || (/^plugins\//.test(from) && /^presets\//.test(to)))
  expect(wrong.map(shown)).toEqual([])
})

test('the wire format imports nothing', () => {
  expect(all.filter(({ from }) => from === 'guest/protocol.ts')).toEqual([])
})

test('no module imports itself by a detour', () => {
  const edges = new Map<string, string[]>()
  for (const each of all) if (local(each) && !each.type && !each.lazy) edges.set(each.from, [...edges.get(each.from) ?? [], each.to])
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) { cycles.push([...trail.slice(trail.indexOf(path)), path].join(' -> ')); return }
    if (done.has(path)) return
    done.add(path)
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path])
  }
  for (const path of edges.keys()) visit(path, [])
  expect(cycles).toEqual([])
})
