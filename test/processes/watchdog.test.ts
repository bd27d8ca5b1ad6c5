import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { census } from '../../kernel/processes.ts'
import { pause, until } from '../support/engine.ts'

/** A host with guests that are stuck, so that only the watchdog can end them. */
const HOST = `
  import { EngineManager } from ${JSON.stringify(new URL('../../dist/kernel/index.js', import.meta.url).href)}
  const { preset } = await import(${JSON.stringify(new URL('../../dist/presets/node.js', import.meta.url).href)})
  const engines = [1, 2, 3].map(() => new EngineManager({ preset }))
  await Promise.all(engines.map(engine => engine.execute('1')))
  for (const engine of engines) engine.execute('while (true) {}').catch(() => {})
  engines.pop().kill()
  console.log(JSON.stringify(engines.map(({ processTag: tag, guestPid: guest }) => ({ tag, guest }))))
  setInterval(() => {}, 1000)`

const watchdogsOf = ({ pid }: ChildProcess): number[] => {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n').map(row => row.trim().split(/\s+/))
  return rows.filter(row => row[1] === String(pid) && row.includes('pi-rlm-watchdog')).map(row => Number(row[0]))
}

test('one watchdog watches over all guests of a host, comes back when it is ended, and ends stuck guests when the host is killed', async () => {
  const host = spawn(process.execPath, ['--input-type=module', '-e', HOST], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [line] = await once(host.stdout, 'data') as [Buffer]
    const engines = JSON.parse(line.toString()) as { tag: string; guest: number }[]
    const [first, ...others] = watchdogsOf(host)
    expect(others).toEqual([])
    // One that ends at once is taken for one that cannot work here.
    await pause(1_500)
    process.kill(first as number, 'SIGKILL')
    await until('there is another', () => watchdogsOf(host).some(pid => pid !== first))
    host.kill('SIGKILL')
    await until('no guest is left', async () => (await Promise.all(engines.map(census))).flat().length === 0)
  } finally {
    host.kill('SIGKILL')
  }
})
