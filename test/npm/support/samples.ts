import type { StubRegistry } from './registry.ts'

/** A line of shell that leaves a file behind, so that a script that ran can be seen. */
const mark = (file: string): string => `node -e "require('fs').writeFileSync('${file}', '')"`

/** Publishes packages of every shape the tests import. */
export function publishSamples(registry: StubRegistry): StubRegistry {
  return registry
    .publish('plain', '1.0.0', { files: { 'index.js': 'export default "plain"\nexport const version = "1.0.0"\n', 'sub.js': 'export const sub = 1\n', 'data.json': '{"n":7}' } })
    .publish('@co/scoped', '1.2.3')
    .publish('effect', '1.0.0', { files: { 'index.js': 'globalThis.effects = (globalThis.effects ?? 0) + 1\n' } })
    .publish('common', '1.0.0', { manifest: { type: 'commonjs', main: 'lib', exports: undefined }, files: { 'lib/index.js': 'exports.a = 1; exports.b = require("./b")\n', 'lib/b.js': 'module.exports = 2\n', 'fp.js': 'module.exports = { fp: 3 }\n' } })
    .publish('both', '1.0.0', { manifest: { exports: { bun: './bun.js', node: './node.js', default: './other.js' } }, files: { 'bun.js': 'export default "bun"\n', 'node.js': 'export default "node"\n', 'other.js': 'export default "other"\n' } })
    .publish('peer', '1.0.0', { manifest: { peerDependencies: { plain: '^1' } }, files: { 'index.js': 'export { version } from "plain"\n' } })
    .publish('events', '9.0.0', { manifest: { exports: undefined, main: 'index.js' } })
    .publish('types', '1.0.0', { manifest: { type: 'commonjs', exports: undefined, types: 'index.d.ts' }, files: { 'index.js': undefined, 'index.d.ts': 'export type A = 1\n' } })
    .publish('outside', '1.0.0', { manifest: { type: 'commonjs', exports: undefined, main: `${'../'.repeat(20)}etc/hostname` } })
}

/** Publishes a package whose install scripts leave `marker` behind, and one that depends on it. */
export function publishScripted(registry: StubRegistry, marker: string): StubRegistry {
  const scripts = { preinstall: mark(marker), install: mark(marker), postinstall: mark(marker) }
  return registry
    .publish('scripted', '1.0.0', { manifest: { scripts, hasInstallScript: true } })
    .publish('above', '1.0.0', { manifest: { dependencies: { scripted: '1' } }, files: { 'index.js': 'export * from "scripted"\n' } })
}
