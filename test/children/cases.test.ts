import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { acts } from './acts.ts'
import { behaviours } from './behaviours.ts'

interface Case { readonly id: string; readonly kind: string; readonly scenario: string; readonly expect: string }
interface Pin { readonly file: string; readonly title: string }

const text = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
const cases = text('./cases.jsonl').trim().split('\n').map(line => JSON.parse(line) as Case)
const pinned = JSON.parse(text('./pinned.json')) as Readonly<Record<string, Pin>>
const left = JSON.parse(text('./left-out.json')) as Readonly<Record<string, string>>

/** Cases that are shown in a notebook, by behaviours.test.ts. */
const shown = new Set(behaviours.map(({ id }) => id))

/** Sources of tests as they read, without the marks of their quotes. */
const sources = new Map([...new Set(Object.values(pinned).map(({ file }) => file))].map(file => [file, text(`../${file}`).replaceAll('\\\'', '\'')]))

describe('reported faults of child agents', () => {
  test('each is acted out, pinned by a test that is named, or left out with its reason', () => {
    const places = cases.map(({ id }) => [id, [id in acts, shown.has(id), id in pinned, id in left].filter(Boolean).length])
    expect(places.filter(([, count]) => count !== 1)).toEqual([])
    expect([...Object.keys(acts), ...Object.keys(pinned), ...Object.keys(left), ...[...shown].filter(id => id.startsWith('b'))].filter(id => !cases.some(each => each.id === id))).toEqual([])
    expect(behaviours.length).toBe(shown.size)
    expect(Object.entries(left).filter(([, reason]) => reason.length < 6)).toEqual([])
  })

  for (const { id, scenario, expect: outcome } of cases) {
    const act = acts[id]
    const pin = pinned[id]
    const title = `${id} ${scenario} ${outcome}`.slice(0, 160)
    if (act !== undefined) test(title, act)
    else if (pin !== undefined) test(title, () => expect(sources.get(pin.file), pin.file).toContain(pin.title))
  }
})
