import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { pause, until } from '../support/engine.ts'
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
    title: 'gives process.stdout as a stream that programs can pipe to and that stays open',
    why: 'a library that pipes to it must work in a cell as in a program',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      const piped = await notebook.execute('const { Readable } = await import("node:stream"); const { pipeline } = await import("node:stream/promises"); await pipeline(Readable.from(["one\\n", "two\\n"]), process.stdout); [process.stdout.fd, process.stderr.fd, process.stdout === process.stdout].join()')
      expect(piped).toMatchObject({ status: 'ok', stdout: 'one\ntwo\n', result: '\'1,2,true\'' })
      expect(await notebook.execute('process.stdout.write("three\\n")')).toMatchObject({ status: 'ok', stdout: 'three\n' })
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
    title: 'gives a cell what it writes to the descriptors 1 and 2 themselves',
    why: 'how a cell prints is its own affair',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      const result = await notebook.execute(`
        const fs = require('fs')
        fs.writeSync(1, 'one '); fs.writeFileSync(1, 'file '); fs.writeSync(2, Buffer.from('xerrx'), 1, 3)
        await new Promise(done => fs.write(1, 'later ', done))
        if (globalThis.Bun) { await Bun.write(Bun.stdout, 'bun '); const writer = Bun.stdout.writer(); writer.write('bun'); await writer.end() } else process.stdout.write('bun bun')
        fs.writeSync(fs.openSync('/dev/null', 'w'), 'away')`)
      expect(result).toMatchObject({ status: 'ok', result: '4', stdout: 'one file later bun bun', stderr: 'err' })
    },
  },
  {
    title: 'runs cells in a working directory that is gone',
    why: 'a cell that cleans up must not be the last one',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      await notebook.execute(`const fs = require('fs'); const gone = fs.mkdtempSync(require('os').tmpdir() + '/gone-'); process.chdir(gone); fs.rmdirSync(gone)`)
      expect(await notebook.execute('1 + 1')).toMatchObject({ status: 'ok', result: '2' })
    },
  },
  {
    title: 'cuts as it did when a cell has replaced what strings and numbers can do',
    why: 'no patched global may change what a later cell said',
    needs: ['output-caps'],
    async run({ engine }) {
      const notebook = engine()
      await notebook.execute('String.prototype.slice = () => "FORGED"; String.prototype.charCodeAt = () => 0xd800; Number.prototype.toLocaleString = () => "FORGED"; TextEncoder.prototype.encodeInto = () => ({ read: 0, written: 0 })')
      const result = await notebook.execute('console.log("y".repeat(100_000)); "r".repeat(100_000)')
      expect(result).toMatchObject({ status: 'ok', cut: { stdout: { total: 100_001 }, result: { total: 100_002 } } })
      expect(`${result.stdout}${result.result}`).not.toContain('FORGED')
    },
  },
  {
    title: 'says how much of a cut text its file holds, and why no more',
    why: 'a file that is said to hold the whole is searched for what it does not have',
    needs: ['output-caps'],
    async run({ engine, folder }) {
      const bounded = await engine({ options: { 'output-caps': { stdout: 1_000, spillBytes: 200_001 } } }).execute('for (let i = 0; i < 100; i++) console.log("é".repeat(1999))')
      const { spill = '', partial } = bounded.cut?.stdout ?? {}
      expect(bounded.cut?.stdout?.total).toBe(200_000)
      expect([200_000, 200_001]).toContain(partial?.bytes)
      expect(bounded.stdout).toContain(`its first ${partial?.bytes.toLocaleString('en-US')} bytes are in ${spill}`)
      expect(statSync(spill).size).toBe(partial?.bytes)
      expect(readFileSync(spill, 'utf8')).not.toContain('\ufffd')

      const state = join(folder(), 'state')
      const notebook = engine({ snapshot: { path: state }, options: { 'output-caps': { stdout: 1_000, result: 1_000 } } })
      await notebook.start()
      mkdirSync(join(state, 'output'), { recursive: true })
      symlinkSync('/dev/full', join(state, 'output', `cell-1-${process.pid}-${notebook.guestPid}-stdout.txt`))
      const full = await notebook.execute('console.log("x".repeat(300_000)); "y".repeat(5_000)')
      expect(full.stdout).toMatch(/the whole could not be kept: ENOSPC/)
      expect(full.cut?.stdout).toMatchObject({ total: 300_001, partial: { bytes: 0 } })
      expect(full.cut?.stdout?.spill).toBeUndefined()
      expect(full.result).toContain(`the whole is in ${full.cut?.result?.spill}`)
    },
  },
  {
    title: 'goes on in the file of a cell whose later output is cut, too',
    why: 'the whole is what the cell said, also after its end',
    needs: ['output-caps'],
    async run({ engine }) {
      const notebook = engine({ options: { 'output-caps': { stdout: 1_000 } } })
      const first = await notebook.execute('console.log("x".repeat(2_000)); setTimeout(() => console.log("late"), 50)')
      await notebook.execute('await new Promise(resolve => setTimeout(resolve, 700))')
      expect(readFileSync(first.cut?.stdout?.spill as string, 'utf8')).toBe(`${'x'.repeat(2_000)}\nlate\n`)
    },
  },
  {
    title: 'keeps cut text without a state in one folder, which goes with the engine',
    why: 'nothing may be left behind',
    needs: ['output-caps'],
    async run({ engine }) {
      const options = { 'output-caps': { stdout: 1_000, stderr: 1_000 } }
      const cell = 'console.log("x".repeat(2_000)); console.error("y".repeat(2_000))'
      const disposed = engine({ options })
      const first = await disposed.execute(cell)
      const second = await disposed.execute(cell)
      const files = [first, second].flatMap(({ cut }) => [cut?.stdout?.spill, cut?.stderr?.spill]) as string[]
      expect(new Set(files).size).toBe(4)
      const folders = new Set(files.map(file => dirname(file)))
      expect(folders.size).toBe(1)
      expect(statSync([...folders][0] as string).mode & 0o777).toBe(0o700)
      await disposed.dispose()
      expect([...folders].filter(path => existsSync(path))).toEqual([])

      const killed = engine({ options })
      const file = (await killed.execute(cell)).cut?.stdout?.spill as string
      expect(existsSync(file)).toBe(true)
      process.kill(killed.guestPid as number, 'SIGKILL')
      await until('the folder of the dead guest is gone', () => !existsSync(dirname(file)))
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
