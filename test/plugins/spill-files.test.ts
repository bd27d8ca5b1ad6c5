import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { preset as bun } from '../../presets/default.ts'
import { preset as node } from '../../presets/node.ts'
import { openEngine, openSupervisor } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'

const FLOOD = 'console.log("x".repeat(5_000))'
const ended = (): number => spawnSync('true').pid

/** A state folder with spill files of a session that is over, one a day old more than the last; and one file that is none. */
function used(count: number, host = ended()): { state: string; file: (day: number) => string } {
  const state = join(temporaryFolder(), 'state')
  const file = (day: number): string => join(state, 'output', `cell-${day}-${host}-2-stdout.txt`)
  mkdirSync(join(state, 'output'), { recursive: true })
  for (let day = 0; day < count; day++) {
    writeFileSync(file(day), 'x'.repeat(1_000))
    const at = Date.now() / 1000 - day * 86_400 - 60
    utimesSync(file(day), at, at)
  }
  writeFileSync(join(state, 'output', 'mine.txt'), 'x')
  return { state, file }
}

const days = (file: (day: number) => string, count: number): number[] => Array.from({ length: count }, (_, day) => day).filter(day => existsSync(file(day)))

describe.each([bun, node])('spill files beside a state on preset $name', preset => {
  test.each([
    ['by number', { files: 3 }, [0, 1, 2]],
    ['by bytes', { bytes: 2_500 }, [0, 1]],
    ['by age', { days: 3.5 }, [0, 1, 2, 3]],
  ])('of earlier sessions are bounded %s, the newest stay', async (_, keep, stay) => {
    const { state, file } = used(8)
    const engine = openEngine({ preset, snapshot: { path: state }, options: { 'output-caps': { stdout: 1_000, keep } } })
    await engine.restoreState()
    await engine.execute('1')
    expect(days(file, 8)).toHaveLength(8)
    const { cut } = await engine.execute(FLOOD)
    expect(days(file, 8)).toEqual(stay)
    expect(existsSync(cut?.stdout?.spill ?? '')).toBe(true)
    expect(readdirSync(join(state, 'output'))).toContain('mine.txt')
  })

  test('that results of the running session name stay, also those of a guest before this one and of other sessions that run', async () => {
    const { state, file } = used(3, process.ppid)
    const supervisor = openSupervisor({ preset, snapshot: { path: state }, options: { 'output-caps': { stdout: 1_000, keep: { files: 0 } } } })
    const named: string[] = []
    for (let cell = 0; cell < 3; cell++) named.push((await supervisor.execute(FLOOD)).cut?.stdout?.spill ?? '')
    supervisor.current?.kill()
    named.push((await supervisor.execute(FLOOD)).cut?.stdout?.spill ?? '')
    expect(named.filter(path => !existsSync(path))).toEqual([])
    expect(new Set(named).size).toBe(4)
    expect(days(file, 3)).toEqual([0, 1, 2])
  })
})
