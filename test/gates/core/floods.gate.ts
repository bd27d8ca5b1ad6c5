import { monitorEventLoopDelay } from 'node:perf_hooks'
import { expect } from 'vitest'
import { type Gate } from '../gate.ts'

/** Memory the host may gain in one flood. */
const GROWTH = 64 << 20

const child = (bytes: number): string => `
  const { spawn } = await import('node:child_process')
  await new Promise(r => spawn('sh', ['-c', 'head -c ${bytes} /dev/zero | tr "\\\\0" y'], { stdio: ['ignore', 'inherit', 'inherit'] }).on('exit', r))`

export default {
  name: 'floods',
  bar: 'no flood of output fills the host\'s memory, stalls it, or keeps a cancel from working',
  rounds: { full: 6, short: 6 },
  guards: [
    { takenOut: 'the cut of the volume where it arises', edits: [{ file: 'guest/output/printer.ts', find: 'this.meter === null ? text : this.meter.write(channel, text)', replace: 'text' }] },
    { takenOut: 'the cap of a frame before it is kept', edits: [{ file: 'kernel/link.ts', find: 'if (this.size + piece.length > FRAME_CAP) {', replace: 'if (this.size + piece.length > 2 ** 40) {' }] },
  ],
  async run({ engine, full, done, figure }) {
    const scale = full ? 1 : 0.1
    const floods: readonly (readonly [name: string, code: string])[] = [
      ['lines', `for (let i = 0; i < ${1e6 * scale}; i++) console.log("line " + i)`],
      ['one line of a child', child(full ? 2e9 : 100_000_000)],
      ['small writes', `for (let i = 0; i < ${1e5 * scale}; i++) process.stdout.write("z")`],
      ['mixed channels', `for (let i = 0; i < ${4e5 * scale}; i++) { process.stdout.write("out\\n"); process.stderr.write("err\\n") }`],
      ['bytes on the channel itself', `const { writeSync } = await import('node:fs'); const block = Buffer.alloc(1 << 20, 'y')
        for (let i = 0; i < ${700 * scale * 2}; i++) for (let at = 0; at < block.length;) try { at += writeSync(3, block, at) } catch (error) { if (error.code !== 'EAGAIN') throw error }`],
    ]
    const notebook = engine({ abortGraceMs: 3_000 })
    await notebook.execute('1')
    for (const [name, code] of floods) {
      const before = process.memoryUsage().rss
      let views = 0
      const delay = monitorEventLoopDelay({ resolution: 5 })
      delay.enable()
      const result = await notebook.execute(code, { onStream: text => { views += text.length } })
      delay.disable()
      const grown = process.memoryUsage().rss - before
      expect(result.status, name).toBe('ok')
      expect(grown, `${name}: bytes the host grew by`).toBeLessThan(GROWTH)
      expect(result.stdout.length + result.stderr.length, name).toBeLessThan(45_000)
      expect(views, name).toBeLessThan(45_000)
      figure(`${name}: +${(grown / 1e6).toFixed(0)} MB, stall ${(delay.percentile(99) / 1e6).toFixed(0)} ms`)
      done()
    }
    const stop = AbortSignal.timeout(300)
    expect((await notebook.execute('for (;;) { console.log("x".repeat(500)); await new Promise(r => setImmediate(r)) }', { signal: stop })).status).toBe('aborted')
    expect(await notebook.execute('1 + 1')).toMatchObject({ status: 'ok', result: '2', stdout: '' })
    done()
  },
} satisfies Gate
