import { afterAll, expect } from 'vitest'
import { VERSIONS } from './harness/installations.ts'
import { EXTENSION, type Pi } from './harness/pi.ts'
import { scene } from './harness/scene.ts'
import { keepCell, keepRows, putScreens, rows } from './harness/screens.ts'
import { byPrompt, cell, type Conversation } from './harness/script.ts'
import type { Tui } from './harness/tui.ts'

const RLM = ['--rlm=1', '-e', EXTENSION]

async function open(pi: Pi, size: { cols?: number; rows?: number } = {}): Promise<Tui> {
  const tui = pi.tui(RLM, size)
  await tui.waitFor('scripted-model')
  return tui
}

async function quit(tui: Tui): Promise<void> {
  tui.keys('C-d')
  expect(await tui.exited()).toBe(0)
}

const WORK = {
  work: [
    'const lines = ["a", "b", "c"]\nfor (const line of lines) console.log(line)\nlines.length',
    'await tools.write({ path: "hello.txt", content: "hello" })',
    'const { raw } = await tools.read({ path: "hello.txt" })',
    'const answer: number = 42\nthrow new RangeError("too large")',
    'console.log("\\u001b[2J\\u001b[31mred\\u001b[0m", "\\u0007")',
  ],
  slow: ['for (let i = 1; i <= 500; i++) {\n  console.log(`step ${i}`)\n  await Bun.sleep(100)\n}'],
  spin: ['while (true) {}'],
  after: ['1 + 1'],
}

/** A cell with three children: one is quick, one takes its time, one fails. */
const DELEGATION: Conversation[] = [
  { match: 'unused exports', turns: ['None is unused.'] },
  { match: 'slowest tests', turns: [{ delay: 12_000, text: 'The slowest is long.test.ts.' }] },
  { match: 'dead links', turns: [{ error: { status: 400, message: 'no such model' } }] },
  { turns: request => request.toolResults.length > 0 ? 'Three looked.' : cell([
    'const asked = { exports: "List unused exports of src.", tests: "Find the three slowest tests.", dead: "Check for dead links." }',
    'const handles = []',
    'for (const [name, task] of Object.entries(asked)) handles.push(await rlm.run(task, { name }))',
    'await rlm.waitAll(handles)',
  ].join('\n')) },
]

afterAll(putScreens)

for (const version of VERSIONS) {
  scene(version, 'a person sees each cell as a row, whole when expanded, live while it runs', byPrompt(WORK), { needs: ['tmux'] }, async ({ pi, shown }) => {
    const tui = await open(pi, { cols: 90, rows: 60 })
    await tui.submit('work')
    const collapsed = await tui.waitFor('Done: work.')
    const [first, write, read, failed, control] = rows(collapsed)
    expect(first).toMatch(/^✓ const lines = \["a", "b", "c"\] .* 3 in · 4 out · [\d.]+m?s$/)
    expect(write).toMatch(/^✓ write hello\.txt .*s$/)
    expect(read).toMatch(/^✓ read hello\.txt .*s$/)
    expect(failed).toMatch(/^✗ const answer: number = 42 .* RangeError · 2 in · \d out · [\d.]+m?s$/)
    expect(control).toMatch(/^✓ console\.log/)
    keepRows(`collapsed-${version}`, collapsed)

    tui.keys('C-o')
    const expanded = await tui.waitFor('RangeError: too large')
    expect(expanded).toMatch(/── stdout\n\s+a\n\s+b\n\s+c\n\s+── result\n\s+3/)
    expect(expanded).toMatch(/── error\n\s+RangeError: too large\n\s+at cell 4:2:/)
    expect(expanded).toMatch(/red ␇/)
    keepCell(`expanded-${version}`, expanded, '✓ const lines')
    keepCell(`failed-${version}`, expanded, '✗')
    tui.keys('C-o')

    await tui.submit('slow')
    const running = await tui.waitFor(/● for \(let i = 1.*\n\s+step \d+\n\s+step \d+\n\s+step \d+\n\s+step \d+/)
    expect(rows(running).at(-1)).toMatch(/^● .* 4 in · \d+ out · [\d.]+m?s$/)
    keepCell(`running-${version}`, running, '●')
    await tui.waitFor(/● for .*\d\.\ds/)
    tui.keys('Escape')
    const cancelled = await tui.waitFor(/⊘ for .*cancelled · 4 in · \d+ out/)
    keepCell(`cancelled-${version}`, cancelled, '⊘')

    await tui.submit('spin')
    await tui.waitFor(/● while \(true\) \{\}/)
    tui.keys('Escape')
    await tui.waitFor(/⊘ while \(true\)/)
    await tui.submit('after')
    await tui.waitFor('Done: after.')
    expect(shown('after')[0]).toMatch(/^Notice: The notebook was restarted[^\n]*\n2$/)
    await quit(tui)
  })

  scene(version, 'a narrow terminal keeps what counts, down to a few columns', byPrompt(WORK), { needs: ['tmux'] }, async ({ pi }) => {
    const tui = await open(pi, { cols: 44, rows: 40 })
    await tui.submit('work')
    const narrow = await tui.waitFor('Done: work.')
    expect(rows(narrow).find(row => row.startsWith('✗'))).toMatch(/RangeError · .*s$/)
    keepRows(`narrow-${version}`, narrow)
    for (const cols of [20, 8, 120]) {
      tui.resize(cols, 40)
      await tui.waitFor(/✗/)
    }
    await quit(tui)
  })

  scene(version, 'child agents show beneath the cell that waits for them, then as a word in its row', DELEGATION, { needs: ['tmux'] }, async ({ pi }) => {
    const tui = await open(pi, { cols: 90, rows: 60 })
    await tui.submit('delegate')
    const frames = await tui.waitFor(/● delegate .*\n {2}✓ exports .*\n {2}> tests .*\n {2}✗ dead /, 90_000)
    keepCell(`children-${version}`, frames, '●')
    await tui.waitFor('Three looked.', 90_000)
    expect(rows(tui.capture())[0]).toMatch(/^✓ delegate .* 3 children: 2 completed, 1 error · /)
    await quit(tui)
  })

  scene(version, '/rlm shows names and state, forgets, and starts anew', byPrompt({ go: ['const alpha = [1, 2, 3]; const beta = "text"'], look: ['[typeof alpha, typeof beta]'] }), { needs: ['tmux'] }, async ({ pi, shown }) => {
    const tui = await open(pi)
    await tui.submit('go')
    await tui.waitFor('Done: go.')
    await tui.submit('/rlm names')
    await tui.waitFor(/alpha\s+/)
    await tui.submit('/rlm forget alpha')
    await tui.waitFor('\'alpha\' is forgotten.')
    await tui.submit('/rlm status')
    await tui.waitFor(/Notebook: running, preset default, bun [\d.]+, process \d+/)
    await tui.submit('/rlm doctor')
    await tui.waitFor(/tools: .*read.*bash/)
    await tui.submit('/rlm restart')
    await tui.waitFor('restarted from its last snapshot')
    await tui.submit('look')
    await tui.waitFor('Done: look.')
    expect(shown('look')[0]).toMatch(/\[ 'undefined', 'string' \]$/)
    await tui.submit('/rlm nonsense')
    await tui.waitFor('Usage: /rlm')
    await quit(tui)
  })
}
