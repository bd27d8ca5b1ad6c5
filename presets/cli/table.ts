import Table from 'cli-table3'
import { plain } from './plain.ts'

const NOTHING = ''
const BORDERLESS = Object.fromEntries(['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right', 'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'].map(part => [part, NOTHING]))

/** Rows in aligned columns, without borders. */
export function renderTable(rows: readonly (readonly string[])[]): string {
  const table = new Table({ chars: { ...BORDERLESS, middle: '  ' }, style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] } })
  table.push(...rows.map(row => row.map(plain)))
  return table.toString().split('\n').map(line => line.trimEnd()).join('\n')
}
