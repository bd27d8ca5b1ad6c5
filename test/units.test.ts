import { createHmac, randomBytes } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { encode } from '../guest/channel/encode.ts'
import { createMac } from '../guest/channel/mac.ts'
import { toJsonText } from '../guest/describe/json.ts'
import { describeThrown } from '../guest/describe/thrown.ts'
import { render } from '../guest/describe/value.ts'
import type { Frame } from '../guest/protocol.ts'
import { EMPTY, toResult, withEnd, withText } from '../kernel/fold.ts'
import { LateOutput } from '../kernel/late.ts'
import { Link } from '../kernel/link.ts'
import { nearest } from '../kernel/methods.ts'
import { resetNotice } from '../kernel/reset-notice.ts'
import { RestartBudget } from '../kernel/restart-budget.ts'
import { announcement } from '../plugins/output-caps/announce.ts'
import { clipEnd, clipStart } from '../plugins/output-caps/guest/clip.ts'

describe('the channel', () => {
  test('has the MAC that node:crypto gives, at every length around a block', () => {
    const key = randomBytes(32)
    const mac = createMac(new Uint8Array(key))
    for (let length = 0; length < 300; length++) {
      const bytes = randomBytes(length)
      expect(mac(bytes, length)).toBe(createHmac('sha256', key).update(bytes).digest('hex').slice(0, 32))
    }
  })

  test('encodes data as JSON.stringify does, and asks no toJSON of a prototype', () => {
    const data = { a: [1, -2.5, null, true, 'ü"\n\ud800'], b: { c: undefined, d: Number.NaN } }
    expect(JSON.parse(encode(data))).toEqual(JSON.parse(JSON.stringify(data)))
    Object.defineProperty(Object.prototype, 'toJSON', { configurable: true, value: () => 'forged' })
    try { expect(encode({ a: 1 })).toBe('{"a":1}') } finally { delete (Object.prototype as { toJSON?: unknown }).toJSON }
  })

  /** Frames as a guest writes them, with the key the host has just sent. */
  function channel() {
    const fromGuest = new PassThrough()
    const toGuest: Buffer[] = []
    const socket = Object.assign(fromGuest, { write: undefined })
    const frames: Frame[] = []
    const written = (chunk: Buffer | string): boolean => { toGuest.push(Buffer.from(chunk)); return true }
    Object.assign(socket, { write: written })
    const link = new Link(socket as never, { onFrame: frame => { frames.push(frame) }, onClose: () => {} })
    const mac = createMac(new Uint8Array(Buffer.from(Buffer.concat(toGuest).toString().slice(0, 64), 'hex')))
    let seq = 0
    const line = (frame: object): string => {
      const body = JSON.stringify({ seq: ++seq, ...frame })
      return `\n${mac(Buffer.from(body), Buffer.byteLength(body))}${body}\n`
    }
    const feed = (bytes: Buffer | string): void => { fromGuest.emit('data', Buffer.from(bytes)) }
    return { link, frames, line, feed, sent: () => Buffer.concat(toGuest).toString() }
  }

  test('hears the same frames however the stream is cut, also inside a character', () => {
    const expected = [{ type: 'output', cell: '1', channel: 'stdout', text: 'é😀\n' }, { type: 'pong', ask: 3 }]
    const { line } = channel()
    const length = Buffer.byteLength(expected.map(line).join(''))
    for (let cut = 0; cut < length; cut++) {
      const { frames, line: make, feed } = channel()
      const bytes = Buffer.from(expected.map(make).join(''))
      feed(bytes.subarray(0, cut))
      feed(bytes.subarray(cut))
      expect(frames).toEqual(expected)
    }
  })

  test('hears the frames of a batch one by one, and sends many commands of one turn together', async () => {
    const { link, frames, line, feed, sent } = channel()
    feed(line({ type: 'batch', frames: [1, 2, 3].map(ask => ({ type: 'pong', ask })) }))
    expect(frames).toEqual([1, 2, 3].map(ask => ({ type: 'pong', ask })))
    for (const ask of [1, 2, 3]) link.send({ type: 'ping', ask })
    await new Promise(setImmediate)
    expect(sent().split('\n').slice(1, -1)).toEqual([1, 2, 3].map(ask => `{"type":"ping","ask":${ask}}`))
  })

  test('hears no forged, repeated or reordered line, and asks again for what it missed', () => {
    const { link, frames, line, feed, sent } = channel()
    const first = line({ type: 'pong', ask: 1 })
    const second = line({ type: 'pong', ask: 2 })
    const third = line({ type: 'pong', ask: 3 })
    feed(first + first + `\n${'0'.repeat(32)}{"seq":2,"type":"pong","ask":9}\n` + third)
    expect(frames).toEqual([{ type: 'pong', ask: 1 }])
    expect(link.rejected).toBe(2)
    expect(sent()).toContain('"type":"resend","seq":1')
    feed(second + third)
    expect(frames).toEqual([1, 2, 3].map(ask => ({ type: 'pong', ask })))
    link.destroy()
  })

  test('keeps nothing of a line that is longer than a frame may be', () => {
    const { link, frames, line, feed } = channel()
    for (let i = 0; i < 40; i++) feed('x'.repeat(100_000))
    feed('\n' + line({ type: 'pong', ask: 1 }))
    expect(frames).toEqual([{ type: 'pong', ask: 1 }])
    expect(link.rejected).toBe(1)
    link.destroy()
  })
})

describe('a result', () => {
  const facts = { cell: { id: 'a', number: 1 }, durationMs: 5, images: [], notices: [], late: [] }

  test('is a fold over frames: text by channel, totals of what was cut, and the end', () => {
    const folding = withEnd(withText(withText(EMPTY, 'stdout', 'a'), 'stdout', 'b'), 'stdout', { total: 100, tail: 'z', spill: '/tmp/x' })
    expect(toResult(folding, { type: 'ended', end: { type: 'done', cell: '1', shown: '42', json: '42' } }, facts))
      .toEqual({ ...facts, status: 'ok', stdout: 'ab', stderr: '', result: '42', value: 42, cut: { stdout: { total: 100, spill: '/tmp/x' } } })
  })

  test.each([
    ['a throw', { type: 'ended', end: { type: 'threw', cell: '1', error: { name: 'E', message: 'm', stack: [] } } }, { status: 'error', error: { name: 'E' } }],
    ['an abort', { type: 'aborted' }, { status: 'aborted' }],
    ['a time limit', { type: 'timeout', afterMs: 10, wedged: false }, { status: 'error', error: { name: 'CellTimeout' } }],
    ['undefined', { type: 'ended', end: { type: 'done', cell: '1', shown: null } }, { status: 'ok' }],
  ] as const)('of %s has that status alone', (_, outcome, expected) => {
    expect(toResult(EMPTY, outcome, facts)).toMatchObject(expected)
  })
})

describe('a thrown value', () => {
  test('is described with its causes, however deep they run, in capped text', () => {
    const cyclic = new Error('outer')
    cyclic.cause = cyclic
    expect(describeThrown(new TypeError('a', { cause: new Error('b', { cause: 'c' }) }))).toMatchObject({ name: 'TypeError', message: 'a', cause: { message: 'b', cause: { message: 'c' } } })
    expect(JSON.stringify(describeThrown(cyclic)).length).toBeLessThan(2_000)
    expect(describeThrown(new Error('x'.repeat(1e6))).message.length).toBeLessThan(11_000)
    expect(describeThrown(new AggregateError(Array.from({ length: 10_000 }, (_, i) => new Error(`e${i}`)), 'many')).message).toContain('and 9990 more')
  })
})

describe('a value', () => {
  test.each([
    [-0, '-0'], [2n ** 64n, '18446744073709551616n'], ['a\nb', '\'a\\nb\''], [Number.NaN, 'NaN'], [{ n: [3n, -4n] }, '{ n: [ 3n, -4n ] }'], [new Map([[1, { a: 1 }]]), 'Map(1) { 1 => { a: 1 } }'],
  ])('%s is shown as %s', (value, text) => { expect(render(value).text).toBe(text) })

  test('becomes JSON only when it is plain, and says where it is not', () => {
    expect(toJsonText({ a: [1, 'x', null] }, 1_000)).toEqual({ text: '{"a":[1,"x",null]}' })
    expect(toJsonText({ a: [{ b: 1n }] }, 1_000)).toEqual({ problem: '.a[0].b is a bigint' })
    expect(toJsonText({ get a() { throw new Error('ran') } }, 1_000)).toEqual({ problem: '.a is a getter' })
    expect(toJsonText('x'.repeat(2_000), 1_000)).toHaveProperty('problem')
    expect(toJsonText({ when: new Date(0), gone: undefined }, 1_000, true)).toEqual({ text: '{"when":"1970-01-01T00:00:00.000Z"}' })
  })
})

describe('small things', () => {
  test('a mistyped name finds the one that was meant, and a stranger none', () => {
    expect(nearest('raed', ['read', 'write'])).toBe('read')
    expect(nearest('frobnicate', ['read', 'ls'])).toBeUndefined()
  })

  test('text is never cut inside a character', () => {
    for (let max = 0; max < 6; max++) {
      expect(clipStart('😀😀😀', max)).toBe('😀'.repeat(Math.floor(max / 2)))
      expect(clipEnd('😀😀😀', max)).toBe('😀'.repeat(Math.floor(max / 2)))
    }
  })

  test('a cut channel says how much is missing and where the whole is', () => {
    expect(announcement('stdout', 10, { total: 1_000_000, tail: 'end', spill: '/tmp/all.txt' })).toBe('\n[… 999,987 of 1,000,000 characters of stdout cut; the whole is in /tmp/all.txt …]\nend')
    expect(announcement('stdout', 10, { total: 100, tail: '', spill: '/tmp/all.txt', partial: { bytes: 5_000, why: 'ENOSPC' } })).toContain('; its first 5,000 bytes are in /tmp/all.txt, the rest could not be kept: ENOSPC …]')
    expect(announcement('stdout', 10, { total: 100, tail: '', partial: { bytes: 0, why: 'EACCES' } })).toContain('; the whole could not be kept: EACCES …]')
  })

  test('late output is kept by cell and channel, within a bound that is told', () => {
    const late = new LateOutput()
    late.add('a', 'stdout', 'x')
    late.add('a', 'stdout', 'y')
    late.add('b', 'stderr', 'z'.repeat(30_000))
    const { late: texts, notices } = late.take()
    expect(texts.map(({ cell, text }) => [cell, text.length])).toEqual([['a', 2], ['b', 19_998]])
    expect(notices[0]).toContain('10002 more characters')
    expect(late.take()).toEqual({ late: [], notices: [] })
  })

  test('a notebook that cannot start is tried three times in a minute, and again after it', () => {
    let now = 0
    const budget = new RestartBudget(() => now)
    expect([1, 2, 3].map(() => budget.failed(new Error('no bun')))).toEqual([true, true, false])
    expect(budget.exhausted()?.message).toContain('no bun')
    now += 61_000
    expect(budget.exhausted()).toBeNull()
  })

  test('a reset names what came back and what did not, and summarises long lists', () => {
    const report = { generation: 4, savedAt: 0, restored: ['a', 'b'], deferred: ['big'], held: [], failed: [], notes: [], lost: Array.from({ length: 40 }, (_, i) => ({ name: `f${i}`, reason: 'a function' })) }
    const text = resetNotice('the guest died', report)
    expect(text).toContain('3 names came back from generation 4')
    expect(text).toContain('f0 (a function)')
    expect(text).toContain('28 more')
    const lossy = resetNotice('the guest died', { ...report, lost: [{ name: 'k', reason: 'saved with loss: its class is not kept' }, { name: 'f', reason: 'a function' }] })
    expect(lossy).toMatch(/Not saved, so gone: f \(a function\)\. Came back with a loss: k \(saved with loss/)
    expect(resetNotice('the guest died', null)).toContain('every name is gone')
  })
})
