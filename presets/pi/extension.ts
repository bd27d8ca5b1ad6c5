/**
 * What pi loads. pi's packages are imported here and nowhere else: its loader maps them to the pi that is running, for
 * TypeScript files only. Everything else is compiled and comes from `dist`.
 */
import * as agent from '@mariozechner/pi-coding-agent'
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from '@mariozechner/pi-tui'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { PiParts } from './pi.ts'

const compiled = new URL('../../dist/presets/pi/main.js', import.meta.url)

export default async function extension(pi: agent.ExtensionAPI): Promise<void> {
  if (!existsSync(compiled)) throw new Error(`pi-rlm is not built: ${fileURLToPath(compiled)} is missing. Run \`npm install\` (or \`npm run build\`) in ${fileURLToPath(new URL('../..', import.meta.url))}.`)
  const { piRlm } = await import(compiled.href) as typeof import('./main.ts')
  piRlm(pi, parts())
}

const parts = (): PiParts => ({
  version: agent.VERSION,
  factories: {
    read: agent.createReadToolDefinition, bash: agent.createBashToolDefinition, edit: agent.createEditToolDefinition, write: agent.createWriteToolDefinition,
    grep: agent.createGrepToolDefinition, find: agent.createFindToolDefinition, ls: agent.createLsToolDefinition,
  },
  highlight: code => agent.highlightCode(code, 'typescript'),
  measure: visibleWidth,
  wrapPainted: wrapTextWithAnsi,
  truncate: (line, width) => truncateToWidth(line, width, ''),
})
