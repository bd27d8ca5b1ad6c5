import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CELL_MARK } from '../../guest/protocol.ts'
import { census, endCell, endEngine, processLine } from '../../kernel/processes.ts'
import { until } from '../support/engine.ts'

const newTag = (): string => randomBytes(8).toString('hex')

/** A shell in a group of its own that carries a mark, or none. */
function start(script: string, mark?: string): ChildProcess & { readonly pid: number } {
  const child = spawn('/bin/sh', ['-c', script], { detached: true, stdio: 'ignore', env: { PATH: process.env['PATH'], ...(mark !== undefined && { [CELL_MARK]: mark }) } })
  onTestFinished(() => { try { process.kill(-(child.pid as number), 'SIGKILL') } catch { /* gone, as it should be */ } })
  return child as ChildProcess & { readonly pid: number }
}

describe('the census', () => {
  test('finds processes by mark, by group and by session, with the cell that started them', async () => {
    const tag = newTag()
    const guest = start('sleep 5555 & wait')
    const marked = start('sleep 5555; true', `${tag}:12`)
    await until('all run', async () => (await census({ tag, guest: guest.pid })).filter(({ command }) => command === 'sleep').length === 2)
    const found = await census({ tag, guest: guest.pid })
    expect(found.filter(({ group }) => group === guest.pid).map(({ cell }) => cell)).toEqual([null, null])
    expect(found.filter(({ group }) => group === marked.pid).map(({ cell }) => cell)).toEqual([12, 12])
    expect(await census({ tag: newTag() })).toEqual([])
    const leader = found.find(({ pid }) => pid === marked.pid)
    expect(leader && processLine(leader)).toBe(`process ${marked.pid} of cell 12, in a session of its own: sh`)
  })

  test('is empty of what a cell started once that cell was ended, SIGTERM ignored or not, and others live on', async () => {
    const tag = newTag()
    start('trap "" TERM; sleep 5555; sleep 5555; sleep 5555', `${tag}:1`)
    start('sleep 5555', `${tag}:1`)
    const other = start('sleep 5555', `${tag}:2`)
    await until('all run', async () => (await census({ tag })).length >= 4)
    await endCell(tag, 1)
    expect((await census({ tag })).every(({ cell, group }) => cell === 2 && group === other.pid)).toBe(true)
  })

  test('is empty of an engine that was ended, also of what left the group and lost its mark', async () => {
    const tag = newTag()
    const guest = start('sleep 5555 & env -i setsid sleep 5556 & wait')
    start('sleep 5555', `${tag}:3`)
    await until('all run', async () => (await census({ tag, guest: guest.pid })).length >= 3)
    const exit = once(guest, 'exit')
    expect(await endEngine({ tag, guest: guest.pid })).toEqual([])
    expect(await exit).toEqual([null, 'SIGKILL'])
    expect(await census({ tag, guest: guest.pid })).toEqual([])
  })
})
