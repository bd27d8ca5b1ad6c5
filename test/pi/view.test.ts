import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from '@mariozechner/pi-tui'
import { describe, expect, test } from 'vitest'
import { clean } from '../../presets/pi/view/clean.ts'
import { duration } from '../../presets/pi/view/duration.ts'
import { type CellStatus, type CellView, layoutCell, type Line, type Ruler, type SectionKind } from '../../presets/pi/view/layout.ts'
import { preview } from '../../presets/pi/view/preview.ts'
import { redact } from '../../presets/pi/view/redact.ts'
import { fit, wrap } from '../../presets/pi/view/width.ts'

const ruler: Ruler = {
  measure: visibleWidth,
  highlight: code => code.split('\n').map(line => line.replace(/const|await/g, word => `\u001b[35m${word}\u001b[39m`)),
  wrapPainted: (line, width) => wrapTextWithAnsi(line, width),
}
const textOf = (line: Line): string => line.map(span => span.text).join('')
const show = (cell: Partial<CellView>, width: number, expanded = false): string[] =>
  layoutCell({ status: 'ok', code: '', sections: [], ...cell }, { width, expanded }, ruler).map(textOf)

describe('a row', () => {
  test('says what the cell did, how much and how long', () => {
    expect(show({ code: 'await $`npm test`', sections: [{ kind: 'stdout', text: 'a\nb\n' }], durationMs: 1234 }, 50))
      .toEqual(['✓ $ npm test                   1 in · 2 out · 1.2s'])
  })
  test('marks a count of lines that is less than what was printed', () => {
    expect(show({ code: 'flood()', sections: [{ kind: 'stdout', text: 'a\nb\n' }], cut: true }, 30)).toEqual(['✓ flood()        1 in · 2+ out'])
  })
  test('names the error of a cell that failed, also where there is little room', () => {
    const failed: Partial<CellView> = { status: 'error', errorName: 'TypeError', code: 'x.y.z()\n'.repeat(20), durationMs: 12 }
    expect(show(failed, 40)[0]).toContain('TypeError')
    expect(show(failed, 12)[0]).toContain('TypeError')
  })
  test('keeps its facts whole at every width: what does not fit is left out, never cut', () => {
    const cell: Partial<CellView> = { status: 'error', errorName: 'RangeError', code: 'someFunction(argument)', durationMs: 65_000 }
    const facts = new Set(['RangeError', '1 in', '0 out', '1m05s', ''])
    for (let width = 1; width <= 200; width++) {
      const [line = ''] = show(cell, width)
      const tail = / {2,}(?<facts>\S.*)$|^. (?<alone>\S.*)$/u.exec(line)
      const shown = (tail?.groups?.['facts'] ?? '').split(' · ').map(fact => fact.trim())
      for (const fact of shown) expect(facts).toContain(fact)
      if (width >= 45) expect(line).toContain('RangeError · 1 in · 0 out · 1m05s')
      else if (width >= 22) expect(line).toContain('1m05s')
      if (width >= 14) expect(line).toContain('RangeError')
      expect(line.startsWith('✗')).toBe(true)
    }
  })
  test('says how its child agents ended, in few columns where there is little room', () => {
    const delegating: Partial<CellView> = { code: 'await rlm.run("Find slow tests.")', durationMs: 119_000, framesChip: { long: '4 children: 3 completed, 1 error', short: '3✓ 1✗' } }
    expect(show(delegating, 80)).toEqual(['✓ delegate Find slow te⋯ 4 children: 3 completed, 1 error · 1 in · 0 out · 1m59s'])
    expect(show(delegating, 60)).toEqual(['✓ delegate Find slow tests.     3✓ 1✗ · 1 in · 0 out · 1m59s'])
    expect(show(delegating, 18)).toEqual(['✓    3✓ 1✗ · 1m59s'])
  })
  test('leaves out a fact that has no room, and keeps the lesser ones that have', () => {
    expect(show({ status: 'error', code: 'a', errorName: 'VeryLongNameOfAnError', durationMs: 5 }, 20)).toEqual(['✗ 1 in · 0 out · 5ms'])
  })
  test('stays one row however much was printed', () => {
    const noisy: Partial<CellView> = { sections: [{ kind: 'stdout', text: 'x\n'.repeat(5000) }, { kind: 'error', text: 'boom' }] }
    for (const status of ['writing', 'waiting', 'ok', 'error', 'cancelled', 'lost'] as const) expect(show({ ...noisy, status }, 80)).toHaveLength(1)
  })
  test('shows the last lines of a cell that runs, and its child agents beneath', () => {
    const lines = show({ status: 'running', code: 'work()', sections: [{ kind: 'stdout', text: '1\n2\n3\n4\n5\n6\n' }], frames: () => [[{ text: '└ child 1', style: 'muted' }]] }, 40)
    expect(lines.slice(1)).toEqual(['  3', '  4', '  5', '  6', '└ child 1'])
  })
})

test('expanded, a cell is shown whole: code, output, result and stack', () => {
  const lines = show({
    status: 'error', code: 'const a = 1\nboom()', durationMs: 5, errorName: 'Error',
    sections: [{ kind: 'stdout', text: 'hello\n' }, { kind: 'stderr', text: 'careful\n' }, { kind: 'error', text: 'Error: boom\n    at cell 1:2:1' }],
  }, 60, true).map(line => clean(line).trimEnd())
  expect(lines.slice(1)).toEqual(['  const a = 1', '  boom()', '  ── stdout', '  hello', '  ── stderr', '  careful', '  ── error', '  Error: boom', '      at cell 1:2:1'])
})

test('what is written for people is broken between words, and goes on indented as it began', () => {
  const lines = show({ sections: [{ kind: 'error', text: 'Error: no such file in the folder\n    at work (/home/someone/project/index.js:1:2)' }, { kind: 'stdout', text: 'columns stay    as they are' }] }, 26, true)
  expect(lines.slice(2).map(line => line.slice(2))).toEqual(['── error', 'Error: no such file in', 'the folder', '    at work', '    (/home/someone/proje', '    ct/index.js:1:2)', '── stdout', 'columns stay    as they ', 'are'])
})

/** A small generator with a seed, so that a failure can be repeated. */
function random(seed: number): () => number {
  let state = seed
  return () => (state = (state * 1_664_525 + 1_013_904_223) >>> 0) / 2 ** 32
}
const PIECES = ['const x = 1', '漢字', '👩‍👩‍👧‍👦', '\t', '\u001b[31mred\u001b[0m', '\u001b]8;;http://a\u0007link', '\r', '\n', 'e\u0301', '\u0007', '\u202e', 'ｆｕｌｌ', '🇩🇪', ' ', '`${a}`', 'tools.read({ path: "a" })', '\u200d', 'สระ', '\u009b2J', 'a'.repeat(90)]
const STATUSES: readonly CellStatus[] = ['writing', 'waiting', 'running', 'ok', 'error', 'cancelled', 'lost']
const KINDS: readonly SectionKind[] = ['notice', 'late', 'stdout', 'stderr', 'result', 'error']

test('no line is ever wider than the terminal, at widths from 1 to 200, and none carries a control character of the cell', () => {
  for (let width = 1; width <= 200; width++) {
    const next = random(width)
    const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T
    const text = (): string => Array.from({ length: Math.floor(next() * 14) }, () => pick(PIECES)).join('')
    for (let round = 0; round < 6; round++) {
      const cell: CellView = {
        status: pick(STATUSES), code: text(), durationMs: next() * 1e6, errorName: text(),
        sections: Array.from({ length: 3 }, () => ({ kind: pick(KINDS), text: text() })),
        frames: () => [[{ text: text(), style: 'muted' }, { text: text(), style: 'plain' }]], framesChip: { long: text(), short: text() },
      }
      for (const line of layoutCell(cell, { width, expanded: round % 2 === 0 }, ruler)) {
        expect(visibleWidth(textOf(line)), JSON.stringify([width, round, line])).toBeLessThanOrEqual(width)
        for (const span of line) if (span.style !== 'painted') expect(span.text).not.toMatch(/\p{Cc}/u)
      }
    }
  }
})

test.each([
  ['await Bun.$`git status --short`', '$ git status --short'],
  ['const r = await $.nothrow()`make -j4`\nr.stdout', '$ make -j4'],
  ['// look at it\nconst { text } = await tools.read({ path: "src/a.ts", limit: 3 })', 'read src/a.ts'],
  ['await tools.edit({ path: \'b.ts\', edits: [{ oldText: "x", newText: "y" }] })', 'edit b.ts'],
  ['await tools.bash({ command: "npm run build" })', '$ npm run build'],
  ['for (const f of files) await tools.read({ path: f })', 'read f'],
  ['await rlm.run("Summarise the log", { model: "fast" })', 'delegate Summarise the log'],
  ['await rlm.run(task, { name })', 'delegate task'],
  ['await rlm.run("Find slow tests.", { name: "slow" })', 'delegate Find slow tests.'],
  ['const a = await tools.grep({ pattern: "TODO" })\nawait tools.read({ path: "x" })', 'grep TODO +1'],
  ['import { readFile } from "node:fs/promises"\n\n/* first */\n{\n  total = list.length\n}', 'total = list.length'],
  ['const page = await fetch("https://example.org/a") // get it', 'const page = await fetch("https://example.org/a")'],
  ['await tools.write({ path: "half', 'write half'],
  ['', ''],
])('the preview of a cell says what it does: %s', (code, text) => { expect(preview(code)).toBe(text) })

describe('redaction', () => {
  test.each([
    'const key = "sk-0123456789abcdef0123"', 'export GITHUB_TOKEN=ghp_0123456789abcdefABCDEF0123456789abcd', 'password: "hunter2 is long"', 'curl -H "Authorization: Bearer abcdef0123456789"',
    'git clone https://me:s3cr3tpass@example.org/x.git', 'mysql --password=tiger123 -u me', 'login --token tiger123', '{"api_key": "tiger123"}', 'DB_PASSWORD=tiger123 node .',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', 'AWS AKIAIOSFODNN7EXAMPLE', '-----BEGIN RSA PRIVATE KEY----- MIIEabc',
  ])('hides what is secret in a preview: %s', text => {
    const shown = redact(text)
    expect(shown).toContain('‹hidden›')
    expect(shown).not.toMatch(/0123456789|hunter2|s3cr3t|tiger|c2lnbmF0|IOSFODNN|MIIE/)
  })
  test('hides blobs and says how long they are', () => {
    expect(redact(`img = "data:image/png;base64,${'iVBORw0K'.repeat(40)}"`)).toBe('img = "data:image/png ‹342 characters›"')
    expect(redact(`x = "${'aB3dEf9h'.repeat(12)}"`)).toBe('x = "‹96 characters›"')
  })
  test.each([
    'const token = process.env.TOKEN', 'tokens.length > 3', 'src/some/very/long/path/that/goes/on/and/on/for/ever/and/ever/until/the/end/index.ts', 'password = await ask("Password?")',
    'const count = secretSanta(list)', 'git show 0123456789abcdef0123456789abcdef01234567',
  ])('leaves what is not secret: %s', text => { expect(redact(text)).toBe(text) })
})

test('escape sequences and control characters of a cell do not reach the terminal', () => {
  expect(clean('\u0007\u001b[2J\u001b[31mred\u001b[0m\u001b]0;title\u0007!')).toBe('␇red!')
  expect(clean('10%\r50%\r100%\ndone\r\n')).toBe('100%\ndone\n')
  expect(clean('a\tb\u0000\u202ec')).toBe('a    b␀c')
})

test.each([[0, '0ms'], [999, '999ms'], [1000, '1.0s'], [59_949, '59.9s'], [59_960, '1m00s'], [125_000, '2m05s'], [3_723_000, '1h02m']])('%i ms reads as %s', (ms, text) => { expect(duration(ms)).toBe(text) })

test('a text that is cut ends in an ellipsis and fits, whatever it is made of', () => {
  expect(fit('hello world', 8, visibleWidth)).toBe('hello w⋯')
  expect(fit('漢字漢字', 4, visibleWidth)).toBe('漢⋯')
  expect(wrap('漢字ab', 2, visibleWidth)).toEqual(['漢', '字', 'ab'])
  expect(wrap('漢', 1, visibleWidth)).toEqual(['·'])
  expect(visibleWidth(truncateToWidth('漢字', 3))).toBeLessThanOrEqual(3)
})
