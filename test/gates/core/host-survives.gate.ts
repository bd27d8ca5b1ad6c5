import { expect } from 'vitest'
import { pause } from '../../support/engine.ts'
import { type Gate } from '../gate.ts'

export default {
  name: 'host survives',
  bar: 'a guest that is killed with unread bytes on its channel never ends the host',
  rounds: { full: 50, short: 3 },
  guards: [
    { takenOut: 'the listener for errors of the channel', edits: [{ file: 'kernel/link.ts', find: 'socket.on(\'error\', () => { this.broken = true; this.close() })', replace: '' }] },
  ],
  async run({ engine, rounds, done }) {
    const strays: string[] = []
    const note = (error: unknown): void => { strays.push(String(error)) }
    process.on('uncaughtException', note)
    process.on('unhandledRejection', note)
    try {
      for (let round = 0; round < rounds; round++) {
        const notebook = engine({ abortGraceMs: 50, pingTimeoutMs: 50 })
        await notebook.start()
        const spinning = notebook.execute(`process.kill(process.pid, ${round % 2 === 0 ? '"SIGSTOP"' : '0'}); for (;;) {}`, { signal: AbortSignal.timeout(40) })
        const waiting = Array.from({ length: 20 }, () => notebook.execute('x'.repeat(500_000)).catch((error: unknown) => error))
        expect((await spinning).status).toBe('aborted')
        notebook.kill()
        await Promise.all(waiting)
        await pause(20)
        done()
      }
    } finally {
      await pause(300)
      process.off('uncaughtException', note)
      process.off('unhandledRejection', note)
    }
    expect(strays).toEqual([])
  },
} satisfies Gate
