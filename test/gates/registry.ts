import { readdirSync } from 'node:fs'
import type { Gate } from './gate.ts'

const here = new URL('./', import.meta.url)

/** Every gate of the project, by name. */
export async function everyGate(): Promise<readonly Gate[]> {
  const files = readdirSync(here, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.gate.ts')).sort()
  const gates = await Promise.all(files.map(async file => ((await import(new URL(file, here).href)) as { default: Gate }).default))
  return gates.sort((a, b) => a.name.localeCompare(b.name))
}

/** Set by `npm run gates`: the full numbers instead of those of every check. */
export const full = process.env['PI_RLM_GATES'] === 'full'
/** True when `npm run gates` asked for this run, in either form. */
export const asked = process.env['PI_RLM_GATE_NAMES'] !== undefined

/** The gates that `npm run gates` named; all of them when it named none. */
export function selected(gates: readonly Gate[]): readonly Gate[] {
  const names = process.env['PI_RLM_GATE_NAMES'] ?? 'all'
  if (names === 'all') return gates
  const wanted = names.split(',')
  const stranger = wanted.find(name => !gates.some(gate => gate.name === name))
  if (stranger !== undefined) throw new Error(`no gate '${stranger}'; there are ${gates.map(({ name }) => `'${name}'`).join(', ')}`)
  return gates.filter(({ name }) => wanted.includes(name))
}
