import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openScratch, removeScratch, sweepScratch } from '../../kernel/scratch.ts'
import { temporaryFolder } from '../support/folder.ts'

/** The folder that a host of this pid would have left. */
function leftBy(pid: number): string {
  const mine = openScratch()
  onTestFinished(() => removeScratch(mine))
  const path = mine.replace(`-${process.pid}-`, `-${pid}-`)
  onTestFinished(() => { rmSync(path, { recursive: true, force: true }) })
  return path
}

const ended = (): number => spawnSync('true').pid

test('what a killed host left is removed by a later one, and nothing else', async () => {
  const dead = leftBy(ended())
  const living = leftBy(process.ppid)
  const elsewhere = leftBy(ended()).replace(/scratch-[0-9a-f]{8}/, 'scratch-00000000')
  const link = leftBy(ended())
  const target = temporaryFolder()
  for (const path of [dead, living, elsewhere]) mkdirSync(path)
  onTestFinished(() => { rmSync(elsewhere, { recursive: true }) })
  writeFileSync(join(dead, 'cell-1-stdout.txt'), 'x')
  writeFileSync(join(target, 'kept'), 'x')
  symlinkSync(target, link)
  await sweepScratch()
  expect(existsSync(dead)).toBe(false)
  expect([living, elsewhere, link, join(target, 'kept')].filter(path => !existsSync(path))).toEqual([])
})
