import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { preset } from '../../presets/default.ts'
import { openEngine } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { scripted } from './support/agent-plugin.ts'
import { numbers } from './support/records.ts'

const KINDS = ['who first', 'where is', 'how many', 'stands for'] as const
const FILLER = 'amber basalt cedar delta ember fjord garnet harbor iris juniper kelp lagoon marble nectar onyx pollen quartz ridge'.split(' ')

/** Ten million characters of records, one a line, and how many there are of each kind. */
function records(): { text: string; counts: Record<string, number>; total: number } {
  const next = numbers(11)
  const counts: Record<string, number> = Object.fromEntries(KINDS.map(kind => [kind, 0]))
  const lines: string[] = []
  for (let size = 0; size < 10_000_000;) {
    const kind = KINDS[next(KINDS.length)] ?? KINDS[0]
    const line = `User: ${1_000 + next(50)} || Instance: ${FILLER[next(FILLER.length)]} ${kind} ${Array.from({ length: 8 + next(8) }, () => FILLER[next(FILLER.length)]).join(' ')}`
    counts[kind] = (counts[kind] ?? 0) + 1
    lines.push(line)
    size += line.length + 1
  }
  return { text: lines.join('\n'), counts, total: lines.length }
}

test('ten megabytes of records are counted exactly by 61 children; a lost part is refused as a total and made good by itself', async () => {
  const { text, counts, total } = records()
  const path = join(temporaryFolder(), 'records.txt')
  writeFileSync(path, text)
  const engine = openEngine({ preset, plugins: [scripted()] })
  const setUp = await engine.execute(`
    const { readFileSync } = await import('node:fs')
    const text = readFileSync(${JSON.stringify(path)}, 'utf8')
    const chunks = rlm.chunks(text, { chars: Math.ceil(text.length / 61) + 200 })
    let broken = true
    const count = chunk => rlm.run('#op ' + JSON.stringify(broken && chunk.index === 17 ? { op: 'partial' } : { op: 'count', words: ${JSON.stringify(KINDS)} }) + '\\n' + chunk.text, { name: 'part ' + chunk.index })
    ;[chunks.length, chunks.map(chunk => chunk.text).join('') === text, chunks.every(chunk => chunk.text.startsWith('User: '))].join()`)
  expect(setUp).toMatchObject({ status: 'ok', result: '\'61,true,true\'' })

  const first = await engine.execute(`
    let results = await rlm.map(chunks, count)
    const add = (sum, answer) => { for (const [key, n] of Object.entries(JSON.parse(answer))) sum[key] = (sum[key] ?? 0) + n; return sum }
    let refusal; try { rlm.reduce(results, add, {}) } catch (error) { refusal = error.message }
    JSON.stringify([refusal, rlm.coverage(results, chunks)])`, { json: true })
  const [refusal, coverage] = JSON.parse(first.value as string) as [string, { parts: number; done: number; failed: { index: number }[]; records: { total: number; done: number } }]
  expect(refusal).toMatch(/^60 of 61 parts are there; missing: 17 \(17: child 'part 17' ended without an answer \(crashed\)/)
  expect(coverage).toMatchObject({ parts: 61, done: 60, failed: [{ index: 17 }], records: { total } })
  expect(coverage.records.done).toBeLessThan(total)

  const second = await engine.execute(`
    broken = false
    results = await rlm.map(chunks, count, { previous: results })
    JSON.stringify([rlm.reduce(results, add, {}), rlm.coverage(results, chunks), (await rlm.listSubagents()).length])`, { json: true })
  expect(JSON.parse(second.value as string)).toEqual([{ ...counts, records: total }, { parts: 61, done: 61, failed: [], records: { total, done: total }, chars: { total: text.length, done: text.length } }, 62])
}, 180_000)
