import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './installations.ts'

const FOLDER = join(ROOT, 'test/e2e/screens')
/** The screens of the README, of the newer pi, and what each shows. */
const SHOWN = [
  ['collapsed', 'Cells, collapsed:'], ['expanded', 'One of them, expanded (Ctrl-O):'], ['failed', 'One that failed:'], ['running', 'One that runs:'],
  ['cancelled', 'The same, cancelled with Escape:'], ['children', 'One with child agents at work:'], ['narrow', 'In 44 columns:'],
] as const
const PART = /(?<=<!-- screens: `npm run screens` -->\n)[^]*?(?=<!-- end of screens -->)/

const lines = (pane: string): string[] => pane.split('\n').map(line => line.trimEnd())
const isRow = (line: string): boolean => /^[◌○●✓✗⊘?] /.test(line)

/** The lines of a pane that belong to cells: they start with a status glyph. */
export const rows = (pane: string): string[] => lines(pane).filter(isRow)

/** Keeps the rows of a screen as text, when asked to by WRITE_SCREENS=1. */
export const keepRows = (name: string, pane: string): void => keep(name, rows(pane))

/** Keeps the last cell whose row starts like this: the row, and what is beneath it. */
export function keepCell(name: string, pane: string, start: string): void {
  const all = lines(pane)
  const from = all.findLastIndex(line => line.startsWith(start))
  const beneath = all.slice(from + 1).findIndex(line => !line.startsWith('  '))
  keep(name, all.slice(from, beneath === -1 ? undefined : from + 1 + beneath))
}

function keep(name: string, text: readonly string[]): void {
  if (process.env['WRITE_SCREENS'] !== '1') return
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(join(FOLDER, `${name}.txt`), `${text.join('\n')}\n`)
}

/** The screens as the README shows them. */
export const readmePart = (): string =>
  `${SHOWN.map(([name, title]) => `\n${title}\n\n\`\`\`\n${readFileSync(join(FOLDER, `${name}-1.6.txt`), 'utf8')}\`\`\`\n`).join('')}\n`

/** What the README shows now. */
export const shownPart = (): string => PART.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))?.[0] ?? 'README.md has no place for screens'

/** Writes the kept screens into the README, when asked to. */
export function putScreens(): void {
  if (process.env['WRITE_SCREENS'] !== '1') return
  const path = join(ROOT, 'README.md')
  writeFileSync(path, readFileSync(path, 'utf8').replace(PART, readmePart))
}
