import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { processRows } from '../../plugins/subagents/child/processes.ts'
import { seenStatus } from '../../plugins/subagents/records/status.ts'
import { totalsOf, type TreeNode, TreeReader } from '../../plugins/subagents/records/tree.ts'
import { until } from '../support/engine.ts'
import { op } from './support/fake-host.ts'
import { table } from './support/records.ts'

const HOST = fileURLToPath(new URL('./support/host.mjs', import.meta.url))
const DIST = fileURLToPath(new URL('../../dist', import.meta.url))

/** A root in a process of its own, whose children start the tasks they are given. */
function root(tasks: readonly (readonly string[])[], options: Record<string, unknown> = {}) {
  const base = mkdtempSync(join(tmpdir(), 'pi-rlm-tree-'))
  const child = spawn(process.execPath, [HOST, DIST, base], { stdio: ['ignore', 'ignore', 'inherit'], env: { PATH: process.env['PATH'], OPTIONS: JSON.stringify({ graceMs: 300, ...options }), TASKS: JSON.stringify(tasks.map(each => JSON.stringify(each))) } })
  onTestFinished(() => {
    child.kill('SIGKILL')
    rmSync(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  })
  const read = (): TreeNode[] => new TreeReader(base, record => seenStatus(record, table)).read('root')
  return { child, base, read }
}

const flat = (nodes: readonly TreeNode[]): TreeNode[] => nodes.flatMap(node => [node, ...flat(node.children)])
const pidsOf = (nodes: readonly TreeNode[]): number[] => flat(nodes).flatMap(({ record }) => record.process?.pid ?? [])
const alive = (pids: readonly number[]): number[] => processRows().map(row => row.pid).filter(pid => pids.includes(pid))

describe('a tree of processes', () => {
  test('is gone within five seconds when its root is killed, deaf ones and endless loops included, and reads as lost', async () => {
    const { child, read } = root([[op('deaf'), op('spin')], [op('deafParent'), op('hang')]])
    await until('all six run', () => pidsOf(read()).length === 6)
    const pids = pidsOf(read())
    expect(alive(pids)).toHaveLength(6)
    child.kill('SIGKILL')
    await until('nothing of it is left', () => alive(pids).length === 0, 30_000)
    expect(flat(read()).map(({ status }) => status)).toEqual(Array(6).fill('lost'))
    expect(flat(read()).map(({ record }) => record.status)).toEqual(Array(6).fill('running'))
  })

  test('counts its limits on disk, through all depths', async () => {
    const { read } = root([[op('echo'), op('echo'), op('echo')], [op('echo'), op('echo'), op('echo')]], { maxTotal: 5 })
    await until('all children have ended', () => read().length === 2 && flat(read()).every(({ status }) => status === 'completed'))
    expect(totalsOf(read()).admitted).toBe(5)
    expect(read().map(({ record }) => readFileSync(record.output_file, 'utf8')).join('')).toContain('CHILD_TOTAL: No child was started: this tree has started 5 children')
  })

  test('refuses a child below the depth limit, and says to do the work itself', async () => {
    const { read } = root([[op('echo')]], { maxDepth: 1 })
    await until('the child has ended', () => read()[0]?.status === 'completed')
    expect(read()[0]?.children).toEqual([])
    expect(readFileSync(read()[0]?.record.output_file ?? '', 'utf8')).toContain('CHILD_DEPTH: No child was started: children may be 1 deep and this one would be at depth 2. Do the work in this notebook')
  })

  test('with as many parents as there are places does not wait for itself', async () => {
    const { read } = root([[op('sleep', { ms: 50 })], [op('sleep', { ms: 50 })]], { concurrency: 2 })
    await until('all four have completed', () => flat(read()).filter(({ status }) => status === 'completed').length === 4, 50_000)
  })

  test('keeps to its limit of children at work in all processes together', async () => {
    const { read } = root([Array(4).fill(op('sleep', { ms: 300 })), Array(4).fill(op('sleep', { ms: 300 }))], { concurrency: 3 })
    let most = 0
    await until('all ten have completed', () => {
      most = Math.max(most, flat(read()).filter(({ status, record }) => status === 'running' && record.depth === 2).length)
      return flat(read()).filter(({ status }) => status === 'completed').length === 10
    }, 50_000)
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(3)
  })
})
