import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { ContractCase } from './case.ts'

const needs = ['pi-tools']
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const cases: readonly ContractCase[] = [
  {
    title: 'gives a cell the answer of one of pi\'s tools as data, and prints nothing of it',
    why: 'a program works on what it reads; the transcript holds what it chose to show',
    needs,
    async run({ engine, folder }) {
      const cwd = folder()
      writeFileSync(join(cwd, 'a.txt'), 'one\ntwo\nthree')
      const { value, stdout, error } = await engine({ cwd }).execute('await tools.read({ path: "a.txt", limit: 2 })', { json: true })
      expect(error).toBeUndefined()
      expect(value).toEqual({ text: 'one\ntwo\n\n[1 more lines in file. Use offset=3 to continue.]', raw: 'one\ntwo', images: 0, details: null })
      expect(stdout).toBe('')
    },
  },
  {
    title: 'attaches an image that a tool reads to the result of the cell that read it',
    why: 'pixels are for the model to see, and cannot cross to the guest as data',
    needs,
    async run({ engine, folder }) {
      const cwd = folder()
      writeFileSync(join(cwd, 'pixel.png'), Buffer.from(PIXEL, 'base64'))
      const notebook = engine({ cwd })
      const seen = await notebook.execute('(await tools.read({ path: "pixel.png" })).images')
      expect(seen).toMatchObject({ result: '1', images: [{ mimeType: 'image/png' }] })
      expect((await notebook.execute('2')).images).toEqual([])
    },
  },
  {
    title: 'names the nearest tool for a mistyped one, and shows the signature when arguments do not fit',
    why: 'a model corrects itself from what the error says, without another look at the prompt',
    needs,
    async run({ engine, folder }) {
      const notebook = engine({ cwd: folder() })
      expect((await notebook.execute('await tools.raed({ path: "a" })')).error?.message).toContain('Did you mean tools.read?')
      expect((await notebook.execute('await tools.read({ pth: "a" })')).error?.message).toMatch(/tools\.read: missing 'path'.*Expected: tools\.read\(\{ path: string, offset\?: number, limit\?: number \}\)/)
    },
  },
  {
    title: 'rejects a failed call with the tool\'s own words, and goes on',
    why: 'an edit with stale text is an ordinary mistake, not the end of a cell that handles it',
    needs,
    async run({ engine, folder }) {
      const cwd = folder()
      writeFileSync(join(cwd, 'a.txt'), 'new text')
      const code = 'let said; try { await tools.edit({ path: "a.txt", edits: [{ oldText: "old text", newText: "x" }] }) } catch (error) { said = error.message } said'
      expect((await engine({ cwd }).execute(code)).result).toMatch(/could not find/i)
    },
  },
  {
    title: 'runs calls that are made at once side by side',
    why: 'four slow commands should take the time of one',
    needs,
    async run({ engine, folder }) {
      const cwd = folder()
      // Each waits for the other's file: one after the other they would never end.
      const wait = (mine: string, other: string): string => `touch ${mine}; while [ ! -e ${other} ]; do sleep 0.05; done; echo done`
      const code = `(await Promise.all([${JSON.stringify(wait('a', 'b'))}, ${JSON.stringify(wait('b', 'a'))}].map(command => tools.bash({ command, timeout: 40 })))).map(({ text }) => text.trim()).join()`
      expect((await engine({ cwd }).execute(code)).result).toBe('\'done,done\'')
    },
  },
]
export default cases
