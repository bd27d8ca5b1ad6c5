import { createHmac } from 'node:crypto'
import { Duplex } from 'node:stream'
import { expect } from 'vitest'
import type { Frame } from '../../../guest/protocol.ts'
import { Link } from '../../../kernel/link.ts'
import type { EngineManager } from '../../../kernel/index.ts'
import { insidesOf, type Scenarios, stillWorks } from '../fault.ts'

/** Writes all of `text` to the channel, however full it is. */
const PUT = `
  const { writeSync } = await import('node:fs')
  const put = data => { const bytes = Buffer.from(data); for (let at = 0; at < bytes.length;) { try { at += writeSync(3, bytes, at) } catch (error) { if (error.code !== 'EAGAIN') throw error } } }
`

/** Every line an engine's guest has written to the channel since it was asked for. */
function tap(engine: EngineManager): () => string[] {
  let text = ''
  insidesOf(engine).link.socket.on('data', (chunk: Buffer) => { text += chunk.toString('latin1') })
  return () => text.split('\n').filter(line => line !== '')
}

/** Frames as a guest with this key writes them. */
function framesOf(key: Buffer, messages: readonly object[]): Buffer {
  const lines = messages.map((message, i) => {
    const body = JSON.stringify({ seq: i + 1, ...message })
    return `\n${createHmac('sha256', key).update(body).digest('hex').slice(0, 32)}${body}\n`
  })
  return Buffer.from(lines.join(''))
}

/** A link on a socket of its own, with what it hears. */
function openLink(): { link: Link; socket: Duplex; heard: Frame[]; key: Buffer } {
  const socket = new Duplex({ read() {}, write(_chunk, _encoding, done) { done() } })
  const heard: Frame[] = []
  const link = new Link(socket, { onFrame: frame => { heard.push(frame) }, onClose: () => {} })
  return { link, socket, heard, key: (link as unknown as { key: Buffer }).key }
}

export default {
  async 'CH-01'({ engine }) {
    const notebook = engine()
    expect(await notebook.execute('(await import("node:fs")).writeSync(3, "x"); 42')).toMatchObject({ status: 'ok', result: '42' })
    expect(notebook.strays.rejectedLines).toBe(1)
  },

  async 'CH-02'({ engine, preset }) {
    const notebook = engine()
    const child = 'process.stdout.write("");const t="z".repeat(65536);for(let i=0;i<16;i++)try{require("fs").writeSync(3,t)}catch(e){}'
    const result = await notebook.execute(`
      const { spawn } = await import('node:child_process')
      const child = spawn(${JSON.stringify(process.execPath)}, ['-e', ${JSON.stringify(child)}], { stdio: ['ignore', 'ignore', 'ignore', 3] })
      const ended = new Promise(resolve => child.on('exit', resolve))
      for (let i = 0; i < 1000; i++) { console.log('line ' + i); if (i % 50 === 0) await new Promise(r => setTimeout(r, 2)) }
      await ended
      '${preset.name}'`)
    expect(result).toMatchObject({ status: 'ok', stdout: Array.from({ length: 1000 }, (_, i) => `line ${i}\n`).join('') })
    await stillWorks(notebook)
  },

  async 'CH-03'({ engine }) {
    const notebook = engine()
    await notebook.start()
    const lines = tap(notebook)
    const first = await notebook.execute('console.log("once"); console.error("twice"); "first"')
    expect(first).toMatchObject({ stdout: 'once\n', stderr: 'twice\n' })
    const copies = lines().reverse()
    expect(copies.length).toBeGreaterThanOrEqual(3)
    const replay = await notebook.execute(`${PUT} for (const line of ${JSON.stringify(copies)}) put('\\n' + line + '\\n'); "second"`)
    expect(replay).toMatchObject({ status: 'ok', result: '\'second\'', stdout: '', stderr: '', late: [] })
    expect(notebook.strays.rejectedLines).toBeGreaterThanOrEqual(copies.length)
    expect(await notebook.execute('1 + 1')).toMatchObject({ result: '2', stdout: '', late: [] })
  },

  async 'CH-05'({ supervisor }) {
    const notebook = supervisor({ abortGraceMs: 200, pingTimeoutMs: 500 })
    await notebook.start()
    const { key } = insidesOf(notebook.current as EngineManager).link
    const stop = new AbortController()
    const reading = notebook.execute(`
      const { readSync } = await import('node:fs')
      const got = []
      const bytes = Buffer.alloc(65536)
      const until = Date.now() + 1200
      while (Date.now() < until) { try { const n = readSync(3, bytes, 0, bytes.length, null); if (n > 0) { got.push(bytes.toString('latin1', 0, n)); console.log('swallowed ' + JSON.stringify(got.at(-1))) } } catch {} }
      got.length`, { signal: stop.signal })
    setTimeout(() => { stop.abort() }, 300)
    const result = await reading
    expect(result.status).toBe('aborted')
    expect(result.stdout).not.toContain(key.toString('hex'))
    await stillWorks(notebook)
  },

  async 'CH-06'({ engine }) {
    const notebook = engine()
    await notebook.start()
    const { socket } = insidesOf(notebook).link
    const chars = 6_000_000
    const running = notebook.execute(`
      const line = '0123456789é'.repeat(100) + '\\n'
      for (let i = 0; i < ${chars / 1000}; i++) process.stdout.write(line.slice(0, 999) + '\\n')
      'sent'`, { maxOutputChars: 2 * chars })
    let resumes = 0
    const slow = setInterval(() => {
      resumes++
      socket.resume()
      setImmediate(() => { socket.pause() })
    }, 10)
    const result = await running.finally(() => { clearInterval(slow); socket.resume() })
    expect(resumes).toBeGreaterThan(5)
    expect(result).toMatchObject({ status: 'ok', result: '\'sent\'' })
    expect(result.stdout.length).toBe(chars)
    expect(new Set(result.stdout.split('\n')).size).toBe(2)
    expect(notebook.strays.rejectedLines).toBe(0)
  },

  async 'CH-07'() {
    const messages: object[] = [
      { type: 'notice', text: 'naïve — 日本語 👩‍👩‍👧' }, { type: 'unattributed', chars: 3 },
      { type: 'output', cell: '1', channel: 'stdout', text: '🙂'.repeat(20) }, { type: 'done', cell: '1', shown: null },
    ]
    const expected = messages
    for (const size of [1, 2, 3, 5, 7, 64, 1_000_000]) {
      const { socket, heard, key } = openLink()
      const bytes = framesOf(key, messages)
      for (let at = 0; at < bytes.length; at += size) socket.push(bytes.subarray(at, at + size))
      await expect.poll(() => heard.length).toBe(messages.length)
      expect(heard).toEqual(expected)
    }
    const { key: sample } = openLink()
    for (let cut = 1; cut < framesOf(sample, messages).length; cut++) {
      const { socket, heard, key, link } = openLink()
      const bytes = framesOf(key, messages)
      socket.emit('data', bytes.subarray(0, cut))
      socket.emit('data', bytes.subarray(cut))
      expect(heard).toEqual(expected)
      expect(link.rejected).toBe(0)
    }
  },

  async 'CH-09'({ engine }) {
    const one = engine()
    const two = engine()
    await Promise.all([one.start(), two.start()])
    const lines = tap(one)
    await Promise.all(Array.from({ length: 200 }, async (_, i) => {
      const [first, second] = await Promise.all([one.execute(`console.log('one ${i}'); ${i}`), two.execute(`console.log('two ${i}'); ${i} + 1000`)])
      expect(first).toMatchObject({ stdout: `one ${i}\n`, result: `${i}` })
      expect(second).toMatchObject({ stdout: `two ${i}\n`, result: `${i + 1000}` })
    }))
    const strangers = lines().slice(-40)
    const crossed = await two.execute(`${PUT} for (const line of ${JSON.stringify(strangers)}) put('\\n' + line + '\\n'); 'crossed'`)
    expect(crossed).toMatchObject({ status: 'ok', stdout: '', late: [], result: '\'crossed\'' })
    expect(two.strays.rejectedLines).toBeGreaterThanOrEqual(strangers.length)
  },
} satisfies Scenarios
