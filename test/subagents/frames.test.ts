import fs, { mkdtempSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eastAsianWidth, eastAsianWidthType } from 'get-east-asian-width'
import { describe, expect, onTestFinished, test } from 'vitest'
import { framesOfCell, isLive, layoutFrames, summary, tally } from '../../plugins/subagents/frames/layout.ts'
import { RecordFolder } from '../../plugins/subagents/records/folder.ts'
import type { SeenStatus } from '../../plugins/subagents/records/record.ts'
import { seenStatus } from '../../plugins/subagents/records/status.ts'
import { recordsOf, type TreeNode, TreeReader } from '../../plugins/subagents/records/tree.ts'
import { node, numbers, record, self, table } from './support/records.ts'
import { pause } from '../support/engine.ts'

const NAMES = ['plain', 'a'.repeat(300), '\u001b[2Jcleared', '\u001b]8;;http://x\u0007link', 'bell\u0007', '日本語の名前', 'e\u0301combined', '\u{1f600}face', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}', '\ud800half', 'tab\tnew\nline', '', '\u202ereversed', '❤️', '🇩🇪']
const STATUSES: readonly SeenStatus[] = ['queued', 'running', 'completed', 'error', 'lost', 'unknown']
const ODD = [Number.NaN, Number.POSITIVE_INFINITY, -1, 0, 1e18]

function randomTree(next: (below: number) => number, depth = 0): TreeNode[] {
  return Array.from({ length: next(depth === 0 ? 30 : 2) + (depth === 0 ? 1 : 0) }, (_, index) => {
    const status = STATUSES[next(STATUSES.length)] ?? 'lost'
    const name = NAMES[next(NAMES.length)] ?? ''
    return node({
      id: `c-${depth}-${index}`, name, task: name, activity: name, message: name, started_at: ODD[next(ODD.length)] ?? 0, finished_at: next(2) * 5_000, output_bytes: next(9_999),
      usage: { input: ODD[next(ODD.length)] ?? 0, output: 5, cache_read: 0, cache_write: 0, cost: ODD[next(ODD.length)] ?? 0, context: 0, turns: 1 },
    }, status, depth < 14 ? randomTree(next, depth + 1) : [])
  })
}

const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\ud800-\udfff]|\p{Extended_Pictographic}/u

/** As a terminal measures it. */
const columnsOf = (text: string): number => Array.from(text).reduce((sum, character) => sum + (/\p{M}|\p{Cf}/u.test(character) ? 0 : eastAsianWidth(character.codePointAt(0) ?? 0)), 0)

describe('the frame tree', () => {
  test('fits into every width from 0 to 200, whatever names and numbers its records hold', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const tree = randomTree(numbers(seed))
      for (let width = 0; width <= 200; width += width < 45 ? 1 : 13) {
        const lines = layoutFrames(tree, { width, now: 10_000, rows: 40 })
        const wrong = lines.filter(line => columnsOf(line) > width || UNSAFE.test(line))
        expect(wrong, `seed ${seed}, width ${width}`).toEqual([])
      }
    }
  })

  test.each([Number.NaN, -5, Number.POSITIVE_INFINITY])('takes a width of %d without throwing', width => {
    expect(() => layoutFrames([node()], { width, now: 0 })).not.toThrow()
  })

  test('shows a tree that is tied to itself once', () => {
    const children: TreeNode[] = []
    const root = node({ id: 'root' }, 'running', children)
    children.push(root, node({ id: 'leaf' }))
    expect(layoutFrames([root, root], { width: 80, now: 0 })).toHaveLength(2)
  })

  test('shows names without their escape codes', () => {
    expect(layoutFrames([node({ name: '\u001b[31mred\u001b[0m \u001b]8;;http://evil\u0007here' })], { width: 80, now: 0 })[0]).toContain('red here')
  })

  test('uses signs of one certain column only', () => {
    const lines = STATUSES.flatMap(status => layoutFrames([node({ name: 'x'.repeat(90) }, status)], { width: 40, now: 0 }))
    const signs = new Set(lines.join(''))
    expect([...signs].filter(sign => !['neutral', 'narrow'].includes(eastAsianWidthType(sign.codePointAt(0) ?? 0)))).toEqual([])
  })

  test('keeps the order of admission while children change state, and grows with their number alone', () => {
    const next = numbers(7)
    let height = 0
    for (let count = 1; count <= 40; count++) {
      const tree = Array.from({ length: count }, (_, index) => node({ id: `c-${String(index).padStart(2, '0')}` }, STATUSES[next(STATUSES.length)]))
      const lines = layoutFrames(tree, { width: 80, now: 0 })
      const names = lines.flatMap(line => /c-\d\d/.exec(line)?.[0] ?? [])
      expect(names).toEqual([...names].sort())
      expect(lines.length).toBeGreaterThanOrEqual(height)
      height = lines.length
    }
    expect(height).toBe(12)
  })

  test('keeps what runs and what failed in view when there are more children than rows', () => {
    const tree = Array.from({ length: 100 }, (_, index) => node({ id: `c-${index}`, name: `n${index}`, reason: 'crashed' }, index === 90 ? 'running' : index === 80 ? 'error' : 'completed'))
    const lines = layoutFrames(tree, { width: 80, now: 0, rows: 5 })
    expect(lines.join('\n')).toMatch(/n80 {2}crashed[\s\S]*n90 {2}running/)
    expect(lines.at(-1)).toBe('  and 96 more: 100 children: 1 running, 98 completed, 1 error')
  })

  test('finds the children of a cell by its id, says whether any is live, and folds into one line', () => {
    const tree = [node({ id: 'a', spawn_cell_id: 'one' }, 'completed', [node({ id: 'b', spawn_cell_id: 'inner' }, 'running')]), node({ id: 'c', spawn_cell_id: 'two' })]
    expect(framesOfCell(tree, 'one').map(({ record: { id } }) => id)).toEqual(['a'])
    expect([isLive(framesOfCell(tree, 'one')), isLive(framesOfCell(tree, 'two'))]).toEqual([true, false])
    expect(summary(framesOfCell(tree, 'one'))).toBe('2 children: 1 running, 1 completed')
    expect(tally(framesOfCell(tree, 'one'))).toBe('1> 1✓')
  })

  test('lets a painter colour its parts without touching the layout', () => {
    const tree = [node({ name: 'x', started_at: 0, finished_at: 65_000, output_bytes: 12 })]
    const [line = ''] = layoutFrames(tree, { width: 60, now: 0, paint: (role, text) => `<${role}>${text}</>` })
    expect(line).toBe('  ✓ <name>x</>  <completed>completed</>  <detail>1m5s  12 B</>')
    expect(layoutFrames(tree, { width: 60, now: 0 })[0]).toBe(line.replace(/<[^>]*>/g, ''))
  })
})

describe('a view of 2,000 records', () => {
  test('reads no file again that has not changed', () => {
    const base = mkdtempSync(join(tmpdir(), 'pi-rlm-frames-'))
    onTestFinished(() => rmSync(base, { recursive: true, force: true }))
    const folder = new RecordFolder(recordsOf(base, 's'))
    folder.prepare()
    for (let index = 0; index < 2_000; index++) folder.write(record({ id: `c-${index}`, created_at: index, finished_at: 5 }))
    const reader = new TreeReader(base, each => seenStatus(each, table))
    const first = reader.read('s')
    const again = reader.read('s')
    expect(again).toHaveLength(2_000)
    expect(again.every((each, index) => each === first[index])).toBe(true)
    expect(layoutFrames(again, { width: 100, now: 0 })).toHaveLength(12)
  })

  // Counting calls needs node: bun binds its builtins for good.
  test.skipIf(process.versions['bun'] !== undefined)('reads one file when one child has changed, and looks at the folders of those at work alone', async () => {
    const base = mkdtempSync(join(tmpdir(), 'pi-rlm-frames-'))
    onTestFinished(() => rmSync(base, { recursive: true, force: true }))
    const folder = new RecordFolder(recordsOf(base, 's'))
    folder.prepare()
    const working = (index: number) => record({ id: `c-${index}`, created_at: index, status: 'running', process: self })
    for (let index = 0; index < 2_000; index++) folder.write(index < 20 ? working(index) : record({ id: `c-${index}`, created_at: index, finished_at: 5 }))
    // Liveness is a look at the process table, not at a record.
    const reader = new TreeReader(base, each => each.status)
    reader.read('s')
    // A folder that has just changed may change again within the tick of its clock.
    await pause(200)
    reader.read('s')
    expect(calls(() => reader.read('s'))).toEqual({ reads: 0, stats: 21 })
    folder.write({ ...working(3), last_activity_at: 9 })
    const changed = calls(() => reader.read('s'))
    expect(changed.reads).toBe(1)
    // The twenty at work, and their folders.
    expect(changed.stats).toBeLessThanOrEqual(41)
  })
})

/** How often a piece of work reads a file and looks at one. */
function calls(work: () => void): { reads: number; stats: number } {
  const { readFileSync, statSync } = fs
  const count = { reads: 0, stats: 0 }
  const counted = <Work extends (...given: never[]) => unknown>(real: Work, key: keyof typeof count): Work => ((...given: Parameters<Work>) => { count[key]++; return real(...given) }) as Work
  Object.assign(fs, { readFileSync: counted(readFileSync as never, 'reads'), statSync: counted(statSync as never, 'stats') })
  syncBuiltinESMExports()
  try { work() } finally {
    Object.assign(fs, { readFileSync, statSync })
    syncBuiltinESMExports()
  }
  return count
}
