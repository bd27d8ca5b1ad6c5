import { join } from 'node:path'
import { expect } from 'vitest'
import type { EngineSupervisor } from '../../../kernel/index.ts'
import { pause, until } from '../../support/engine.ts'
import { type Gate } from '../gate.ts'

type Strike = (notebook: EngineSupervisor, pid: number) => Promise<unknown>
const strike = (pid: number): void => { try { process.kill(pid, 'SIGKILL') } catch { /* it ended by itself */ } }

/** What the guest is doing when it is killed. */
const STATES: Readonly<Record<string, Strike>> = {
  idle: async (notebook, pid) => {
    const engine = notebook.current
    strike(pid)
    await until('the host has seen the end of its guest', () => engine?.isRunning === false)
  },
  running: async (notebook, pid) => {
    const call = notebook.execute('await new Promise(() => {})')
    await pause(20)
    strike(pid)
    await expect(call).rejects.toMatchObject({ code: 'GUEST_DIED' })
  },
  spinning: async (notebook, pid) => {
    const call = notebook.execute('for (;;) {}')
    await pause(20)
    strike(pid)
    await expect(call).rejects.toMatchObject({ code: 'GUEST_DIED' })
  },
  aborting: async (notebook, pid) => {
    const call = notebook.execute('for (;;) {}', { signal: AbortSignal.timeout(20) })
    await pause(60)
    strike(pid)
    expect((await call).status).toBe('aborted')
  },
  saving: async (notebook, pid) => {
    const save = notebook.snapshotState().catch((error: unknown) => error)
    strike(pid)
    await save
  },
  answering: async (notebook, pid) => {
    const names = notebook.listNamespaceNames().catch((error: unknown) => error)
    strike(pid)
    await names
  },
  printing: async (notebook, pid) => {
    const call = notebook.execute('for (;;) { console.log("x".repeat(1000)); await null }').catch((error: unknown) => error)
    await pause(30)
    strike(pid)
    expect(await call).toMatchObject({ code: 'GUEST_DIED' })
  },
}

export default {
  name: 'kill',
  bar: 'a guest killed in any state costs one reset, told exactly once, and the next call works',
  rounds: { full: 7 * 30, short: 7 },
  guards: [
    { takenOut: 'the notice of a reset', edits: [{ file: 'kernel/supervisor.ts', find: 'if (this.cause !== null) engine.notice(resetNotice(this.cause, wanted, this.options.losses))', replace: 'if (this.cause !== null) void resetNotice' }] },
    { takenOut: 'the rejection of a running call', edits: [{ file: 'kernel/engine.ts', find: 'if (before.at === \'running\') this.queue.lose(before.job, error, before.guest.link.unread?.type === \'run\')', replace: '' }] },
  ],
  async run({ supervisor, folder, rounds, done }) {
    const notebook = supervisor({ snapshot: { path: join(folder(), 'state') }, abortGraceMs: 300, pingTimeoutMs: 1_000 })
    for (let round = 0; round < rounds; round++) {
      const [state, act] = Object.entries(STATES)[round % 7] as [string, Strike]
      await notebook.execute(`let round = ${round}`)
      await notebook.snapshotState()
      await act(notebook, notebook.current?.guestPid as number)
      const next = await within(20_000, notebook.execute('typeof round'))
      expect(next, state).toMatchObject({ status: 'ok' })
      expect(next.notices.filter(line => line.includes('restarted')), state).toHaveLength(1)
      expect((await notebook.execute('1')).notices.filter(line => line.includes('restarted')), state).toEqual([])
      done()
    }
  },
} satisfies Gate

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return Promise.race([work, pause(ms).then(() => { throw new Error(`no answer within ${ms} ms`) })])
}
