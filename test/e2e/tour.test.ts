import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { VERSIONS } from './harness/installations.ts'
import { EXTENSION, type Pi } from './harness/pi.ts'
import { scene, type Scene } from './harness/scene.ts'
import { byPrompt } from './harness/script.ts'

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const RLM = ['--rlm=1', '-e', EXTENSION]

/** Cells that a model might run, a guest that dies under one, and one more in a continued session. */
const CELLS = {
  work: [
    'const base: number = 40; console.log("bound")',
    'base + 2',
    'const early = 1; throw new TypeError("planned")',
    'early',
    'for (let i = 0; i < 20_000; i++) console.log("flood", i)',
    'const seen = await tools.read({ path: "pixel.png" }); seen.images',
    'await tools.edit({ path: "note.txt", edits: [{ oldText: "not there", newText: "x" }] })',
    'await tools.raed({ path: "note.txt" })',
    'await tools.read({ file: "note.txt" })',
    'const note = (await tools.read({ path: "note.txt" })).raw; await tools.write({ path: "out.txt", content: note.toUpperCase() }); note',
    'function helper() { return base }; helper()',
  ],
  crash: ['process.kill(process.pid, "SIGKILL"); await new Promise(() => {})', 'base + 3'],
  again: ['[base, note, typeof helper]'],
}

function furnish(pi: Pi): void {
  writeFileSync(join(pi.work, 'pixel.png'), Buffer.from(PIXEL, 'base64'))
  writeFileSync(join(pi.work, 'note.txt'), 'a note')
}

/** What the model must have been shown on the tour, whatever the mode. */
function checkTour({ pi, model, shown }: Scene): void {
  const [bound, sum, thrown, early, flood, image, stale, unknown, wrong, note, helper] = shown('work')
  const [killed, after] = shown('crash')
  expect(bound).toBe('bound\n')
  expect(sum).toBe('42')
  expect(thrown).toMatch(/^TypeError: planned\n {4}at cell 3:1:\d+/)
  expect(early).toBe('1')
  expect(flood?.length).toBeLessThan(60_000)
  expect(flood).toMatch(/flood 0\n[\s\S]*flood 19999/)
  expect(image).toBe('1')
  expect(model.requests.at(6)?.images).toBe(1)
  expect(stale).toMatch(/ToolError: Could not find/i)
  expect(unknown).toContain('tools.raed does not exist. Did you mean tools.read?')
  expect(wrong).toContain('tools.read: missing \'path\'. Expected: tools.read({ path: string, offset?: number, limit?: number })')
  expect(note).toBe('\'a note\'')
  expect(readFileSync(join(pi.work, 'out.txt'), 'utf8')).toBe('A NOTE')
  expect(helper).toBe('40')
  expect(killed).toMatch(/SIGKILL/)
  expect(after).toMatch(/^Notice: The notebook was restarted: [^\n]*SIGKILL/)
  expect(after?.match(/The notebook was restarted/g)).toHaveLength(1)
  expect(after).toMatch(/43$/)
  for (const request of model.requests) expect(request.tools).toEqual(['execute'])
}

const ledger = (pi: Pi): { tool: string; status: string }[] => {
  const [session] = readdirSync(join(pi.work, '.pi-rlm')).filter(name => existsSync(join(pi.work, '.pi-rlm', name, 'calls.jsonl')))
  return readFileSync(join(pi.work, '.pi-rlm', session ?? '', 'calls.jsonl'), 'utf8').trim().split('\n').map(line => JSON.parse(line) as { tool: string; status: string })
}

for (const version of VERSIONS) {
  scene(version, 'a tour in print mode, continued by a second process', byPrompt(CELLS), {}, async theScene => {
    const { pi, shown } = theScene
    furnish(pi)
    expect(await pi.print([...RLM, 'work', 'crash'])).toMatchObject({ code: 0, stdout: 'Done: crash.\n', stderr: '' })
    checkTour(theScene)
    expect(ledger(pi).map(({ tool, status }) => `${tool} ${status}`)).toEqual(['tools.read ok', 'tools.edit error', 'tools.raed error', 'tools.read error', 'tools.read ok', 'tools.write ok'])
    expect(await pi.print(['--continue', ...RLM, 'again'])).toMatchObject({ code: 0, stdout: 'Done: again.\n', stderr: '' })
    expect(shown('again')[0]).toMatch(/^Notice: [^\n]*helper[\s\S]*\[ 40, 'a note', 'undefined' \]$/)
  })

  scene(version, 'a tour in JSON mode', byPrompt(CELLS), {}, async theScene => {
    const { pi } = theScene
    furnish(pi)
    const run = await pi.json([...RLM, 'work', 'crash'])
    expect(run).toMatchObject({ code: 0, stderr: '' })
    checkTour(theScene)
    const ends = run.events.filter(event => event.type === 'tool_execution_end' && event.toolName === 'execute')
    expect(ends.map(event => event.isError)).toEqual([false, false, true, false, false, false, true, true, true, false, false, true, false])
    expect(ends[2]?.result?.details).toMatchObject({ cell: 3, status: 'error', errorName: 'TypeError' })
    expect(ends[5]?.result?.content.map(block => block.type)).toEqual(['text', 'image'])
  })
}
