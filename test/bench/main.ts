import Table from 'cli-table3'
import type { Bench, Row } from './row.ts'

/** Runs every bench on both guests and prints one table, or JSON with `--json`. Words after the flags choose benches by name. */
export async function main(benches: readonly Bench[], args: readonly string[]): Promise<void> {
  const json = args.includes('--json')
  const guests = args.includes('--bun') ? ['bun'] as const : args.includes('--node') ? ['node'] as const : ['bun', 'node'] as const
  const wanted = args.filter(word => !word.startsWith('--'))
  const chosen = wanted.length === 0 ? benches : benches.filter(({ name }) => wanted.some(word => name.includes(word)))
  if (chosen.length === 0) throw new Error(`no bench is named ${wanted.join(' or ')}; there are: ${benches.map(({ name }) => name).join(', ')}`)
  const rows: Row[] = []
  for (const guest of guests) {
    for (const bench of chosen) {
      if (!json) process.stderr.write(`${bench.name} on ${guest} …\n`)
      rows.push(...await bench.run(guest))
    }
  }
  console.log(json ? JSON.stringify(rows.map(row => ({ ...row, ratio: row.value / row.floor })), null, 2) : table(rows))
}

function table(rows: readonly Row[]): string {
  const drawn = new Table({ head: ['bench', 'guest', 'value', 'floor', 'ratio', 'bar', ''], style: { head: [], border: [], compact: true } })
  for (const { name, guest, value, floor, unit, bar, note } of rows) {
    const ratio = value / floor
    drawn.push([name, guest, `${value.toFixed(1)} ${unit}`, `${floor.toFixed(1)} ${unit}`, ratio.toFixed(2), bar === undefined ? '' : `<= ${bar}`, note ?? (bar !== undefined && ratio > bar ? 'over' : '')])
  }
  return drawn.toString()
}
