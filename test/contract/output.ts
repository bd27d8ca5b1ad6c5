import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { pause } from '../support/engine.ts'
import type { ContractCase } from './case.ts'

const cases: readonly ContractCase[] = [
  {
    title: 'gives every write to the cell that made it; late output arrives under its own cell\'s id',
    why: 'a result with another cell\'s text in it is not true',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      await notebook.execute('setTimeout(() => console.log("late one"), 60); setTimeout(() => console.error("late two"), 80)', { cellId: 'first' })
      const second = await notebook.execute('await new Promise(resolve => setTimeout(resolve, 250)); console.log("mine")', { cellId: 'second' })
      expect(second).toMatchObject({ stdout: 'mine\n', stderr: '' })
      expect(second.late).toEqual([{ cell: 'first', channel: 'stdout', text: 'late one\n' }, { cell: 'first', channel: 'stderr', text: 'late two\n' }])
    },
  },
  {
    title: 'streams output as it comes and never calls back after the cell has settled',
    why: 'people watch a running cell, and nothing may write into a finished one',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      const seen: [string, string][] = []
      await notebook.execute('console.log("out"); console.error("err"); process.stdout.write("raw"); setTimeout(() => console.log("too late"), 30)', { onStream: (text, channel) => seen.push([channel, text]) })
      await pause(150)
      await notebook.execute('1')
      expect(seen.filter(([channel]) => channel === 'stdout').map(([, text]) => text).join('')).toBe('out\nraw')
      expect(seen.filter(([channel]) => channel === 'stderr').map(([, text]) => text).join('')).toBe('err\n')
    },
  },
  {
    title: 'takes a broken onStream of the caller as a notice, not as the cell\'s failure',
    why: 'a view that breaks must not take the notebook along',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      const result = await notebook.execute('console.log(1); console.log(2); 3', { onStream: () => { throw new Error('view broke') } })
      expect(result).toMatchObject({ status: 'ok', stdout: '1\n2\n', result: '3' })
      expect((await notebook.execute('4')).notices.concat(result.notices).join()).toContain('view broke')
    },
  },
  {
    title: 'shows bytes split inside a character whole, and invalid bytes as U+FFFD',
    why: 'text that is not UTF-8 breaks every reader behind it',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      const result = await notebook.execute('const bytes = Buffer.from("é😀"); for (const byte of bytes) process.stdout.write(Buffer.from([byte])); process.stdout.write(Buffer.from([0xff])); process.stdout.write("\\ud800x")')
      expect(result.stdout).toBe('é😀\ufffd\ufffdx')
    },
  },
  {
    title: 'renders hostile values without running or breaking on them',
    why: 'to look at a value must be safe',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      const values = ['({ get boom() { throw new Error("getter") } })', 'new Proxy({}, { get() { throw 1 }, ownKeys() { throw 2 } })', '[new Proxy({}, { get() { throw 1 } })]', '({ [Symbol.for("nodejs.util.inspect.custom")]() { throw 3 } })',
        'Object.create(null)', '(() => { const a = {}; a.self = a; return a })()', 'Object.fromEntries(Array.from({ length: 100000 }, (_, i) => ["k" + i, i]))', 'Object.assign(() => 1, { name2: 2 })']
      for (const value of values) expect((await notebook.execute(`(${value})`)).status, value).toBe('ok')
      expect((await notebook.execute(values[6] as string)).result).toContain('99800 more keys')
    },
  },
  {
    title: 'cuts each channel at its cap, announces the true totals, and keeps the whole in a file',
    why: 'a flood must cost neither memory nor context, and nothing may be lost',
    needs: ['output-caps'],
    async run({ engine }) {
      const notebook = engine({ options: { 'output-caps': { stdout: 1_000, stderr: 500 } } })
      const result = await notebook.execute('for (let i = 0; i < 20000; i++) console.log("line " + i); console.error("e".repeat(5000))')
      const whole = Array.from({ length: 20_000 }, (_, i) => `line ${i}\n`).join('')
      expect(result.cut?.stdout?.total).toBe(whole.length)
      expect(result.stdout.length).toBeLessThan(1_500)
      expect(result.stdout).toMatch(/^line 0\n[^]*characters of stdout cut[^]*line 19999\n$/)
      expect(readFileSync(result.cut?.stdout?.spill as string, 'utf8')).toBe(whole)
      expect(result.cut?.stderr?.total).toBe(5_001)
    },
  },
  {
    title: 'never splits a character at a cap, in output or in a result',
    why: 'half a character is a character nobody wrote',
    needs: ['output-caps'],
    async run({ engine }) {
      const notebook = engine()
      for (const cap of [10, 11, 12, 13]) {
        const result = await notebook.execute('process.stdout.write("😀".repeat(100)); "😀".repeat(100)', { maxOutputChars: cap })
        expect(result.stdout.isWellFormed(), `stdout at ${cap}`).toBe(true)
        expect(result.result?.isWellFormed(), `result at ${cap}`).toBe(true)
        expect(result.cut?.result?.total).toBe(202)
      }
    },
  },
]
export default cases
