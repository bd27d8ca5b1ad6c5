export const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
export const ms = (value: number): string => `${value.toFixed(value < 100 ? 1 : 0)} ms`

/** Prints rows below their heads, the first column to the left. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map(row => row[column]?.length ?? 0)))
  for (const row of [heads, ...rows]) console.log(`  ${row.map((text, column) => column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart((widths[column] ?? 0) + 3)).join('')}`)
}
