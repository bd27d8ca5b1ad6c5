import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DIST } from './cli.ts'

/** Writes a preset as another project would have it, and answers its file. */
export function writePreset(folder: string, name: string, body: string): string {
  const file = join(folder, name)
  writeFileSync(file, `
import { definePlugin, definePreset } from '${DIST.href}kernel/index.js'
import { preset as standard } from '${DIST.href}presets/node.js'
import { bun } from '${DIST.href}plugins/runtimes/bun.js'
import { node } from '${DIST.href}plugins/runtimes/node.js'
import { outputCaps } from '${DIST.href}plugins/output-caps/index.js'
import { appendFileSync } from 'node:fs'
${body}
`)
  return file
}
