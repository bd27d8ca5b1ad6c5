import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Pi } from './pi.ts'
import type { Scene } from './scene.ts'

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Cells that a model might run, a guest that dies under one, and one more in a continued session. */
export const CELLS = {
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

/** The files that the cells work on. */
export function furnish(pi: Pi): void {
  writeFileSync(join(pi.work, 'pixel.png'), Buffer.from(PIXEL, 'base64'))
  writeFileSync(join(pi.work, 'note.txt'), 'a note')
}

/** What the model must have been shown on the tour, whatever the mode. */
export function checkWork({ pi, model, shown, guest }: Scene): void {
  const [bound, sum, thrown, early, flood, image, stale, unknown, wrong, note, helper] = shown('work')
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
  for (const request of model.requests) {
    expect(request.tools).toEqual(['execute'])
    expect(request.system).toContain(`(guest: ${guest})`)
  }
}

/** What it must have been shown of a guest that was killed under a cell. */
export function checkCrash({ shown }: Scene): void {
  const [killed, after] = shown('crash')
  expect(killed).toMatch(/SIGKILL/)
  expect(after).toMatch(/^Notice: The notebook was restarted: [^\n]*SIGKILL/)
  expect(after?.match(/The notebook was restarted/g)).toHaveLength(1)
  expect(after).toMatch(/43$/)
}
