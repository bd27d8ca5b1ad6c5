import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { pause } from '../../support/engine.ts'
import { insidesOf, type Scenarios } from '../fault.ts'

/** Every file that holds values, with its bytes; the lock and the mark of a value being read are not of them. */
const filesOf = (path: string): Map<string, string> => new Map(readdirSync(path, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile() && !['lock', 'reading'].includes(entry.name) && !entry.name.startsWith('lock.'))
  .map(entry => [entry.name, readFileSync(join(entry.parentPath, entry.name)).toString('base64')]))

export default {
  async 'RE-06'({ engine, supervisor, folder }) {
    const snapshot = { path: join(folder(), 'state') }
    const first = engine({ snapshot })
    await first.execute('var list = [1, 2]; var text = "x".repeat(2_000_000); var many = Array.from({ length: 20_000 }, (_, i) => ({ i })); null')
    await first.snapshotState()
    await first.dispose()
    const before = filesOf(snapshot.path)
    for (let round = 0; round < 30; round++) {
      const killed = engine({ snapshot })
      await killed.start()
      const restoring = killed.restoreState().catch(() => null)
      await pause(round % 10)
      process.kill(insidesOf(killed).pid, 'SIGKILL')
      await restoring
      expect(filesOf(snapshot.path), `round ${round}`).toEqual(before)
    }
    const next = supervisor({ snapshot })
    const look = await next.execute('typeof list')
    // A value that was being read when its reader ended, time after time, may be held for one session: by name, and whoever reads it is told.
    const isHeld = look.notices.join().includes('list (reading it ended the process')
    expect(look).toMatchObject(isHeld ? { status: 'error', error: { message: expect.stringContaining('\'list\' is kept on disk') as string } } : { status: 'ok', result: "'object'" })
    await next.dispose()
    expect(filesOf(snapshot.path)).toEqual(before)
    expect(await supervisor({ snapshot }).execute('[list.length, text.length, many.at(-1).i].join()')).toMatchObject({ status: 'ok', result: "'2,2000000,19999'" })
  },
} satisfies Scenarios
