import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { expect } from 'vitest'
import { definePlugin } from '../../../kernel/index.ts'
import { census } from '../../../kernel/processes.ts'
import { until } from '../../support/engine.ts'
import { type Gate } from '../gate.ts'

const slow = definePlugin({
  name: 'slow',
  host: host => {
    host.method({ handle: 'slow', name: 'call', params: Type.Object({}), run: (_, { signal }) => new Promise((resolve, reject) => { signal.addEventListener('abort', () => { reject(new Error('aborted')) }); setTimeout(() => { resolve(null) }, 20_000).unref() }) })
  },
})

/** How long a cell waits before it goes on, in milliseconds: far longer than the abort takes, so that no cell is over before it. */
const PAUSE_MS = 400

/** Kinds of cell; each would bind `wrote` and make FILE when it went on after its cancel. */
const AFTER = 'wrote = "by the cancelled cell"; require("fs").writeFileSync(FILE, "x"); console.log("after")'
const KINDS: Readonly<Record<string, string>> = {
  awaiting: `await new Promise(r => setTimeout(r, ${PAUSE_MS})); ${AFTER}`,
  timers: `setInterval(() => console.log("tick"), 10); await new Promise(r => setTimeout(r, ${PAUSE_MS})); ${AFTER}`,
  child: `await new Promise(r => require("child_process").spawn("sleep", ["30"]).on("exit", r)); ${AFTER}`,
  shell: `await new Promise(r => require("child_process").exec("sleep 30; echo done", r)); ${AFTER}`,
  bridge: `await slow.call({}).catch(() => {}); ${AFTER}`,
  printing: `for (let i = 0; i < 80; i++) { console.log("line " + i); await new Promise(r => setTimeout(r, 5)) } ${AFTER}`,
  catching: `try { await new Promise(r => setTimeout(r, ${PAUSE_MS})) } finally { ${AFTER} }`,
  microtasks: `for (let i = 0; i < 3_000; i++) await null; await new Promise(r => setTimeout(r, ${PAUSE_MS})); ${AFTER}`,
}

export default {
  name: 'cancel',
  bar: 'a cancelled cell gives back its call soon, writes and prints nothing more, and its children end',
  rounds: { full: 500, short: 16 },
  guards: [
    { takenOut: 'the refusal of writes of a cancelled cell', edits: [{ file: 'guest/namespace.ts', find: 'if (this.guarded && currentCell()?.state === \'aborted\') {', replace: 'if (false as boolean) {' }] },
    { takenOut: 'the silence of a cancelled cell', edits: [{ file: 'guest/runner.ts', find: '          if (cell.context.state === \'aborted\') return\n', replace: '' }] },
    { takenOut: 'the end of its children', edits: [{ file: 'guest/runner.ts', find: 'try { this.parts.endChildrenOf(cell.context) } catch { /* nothing left to end */ }', replace: '' }, { file: 'kernel/cell-children.ts', find: 'if (!ending) endCell(tag, job.cell.number).catch(() => {})', replace: 'void endCell' }] },
  ],
  async run({ engine, folder, rounds, done, figure }) {
    const notebook = engine({ plugins: [slow()] })
    await notebook.execute('let wrote = "nothing"')
    const place = folder()
    const took: number[] = []
    for (let round = 0; round < rounds; round++) {
      const [kind, code] = Object.entries(KINDS)[round % 8] as [string, string]
      const file = join(place, `file-${round}`)
      const streamed: string[] = []
      const stop = new AbortController()
      let at = 0
      const delay = round % 3 === 0 ? 0 : 10 + (round * 37) % 120
      setTimeout(() => { at = performance.now(); stop.abort() }, delay)
      const result = await notebook.execute(code.replace('FILE', JSON.stringify(file)), { signal: stop.signal, onStream: text => { streamed.push(text) } })
      took.push(performance.now() - at)
      expect(result.status, kind).toBe('aborted')
      const seen = streamed.length
      const { guestPid, processTag } = notebook
      await until(`the children of ${kind} are gone`, async () => (await census({ tag: processTag, guest: guestPid ?? undefined })).every(({ pid }) => pid === guestPid), 15_000)
      const other = await notebook.execute(`await new Promise(r => setTimeout(r, ${PAUSE_MS})); wrote`)
      expect(other, kind).toMatchObject({ status: 'ok', result: '\'nothing\'', stdout: '', late: [] })
      expect(streamed.length, kind).toBe(seen)
      expect(existsSync(file), kind).toBe(false)
      done()
    }
    took.sort((a, b) => a - b)
    figure(`settled after ${took[Math.floor(took.length / 2)]?.toFixed(0)} ms in the middle, ${took[Math.floor(took.length * 0.99)]?.toFixed(0)} ms at p99`)
  },
} satisfies Gate
