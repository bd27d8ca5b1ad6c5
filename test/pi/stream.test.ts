import { expect, test } from 'vitest'
import { type Clock, type Tail, TailStream } from '../../presets/pi/stream.ts'

/** A clock that is moved on by hand. */
class HandClock implements Clock {
  time = 0
  private tasks: { at: number; task: () => void }[] = []
  now(): number { return this.time }
  later(task: () => void, ms: number): () => void {
    const entry = { at: this.time + ms, task }
    this.tasks.push(entry)
    return () => { this.tasks = this.tasks.filter(other => other !== entry) }
  }
  pass(ms: number): void {
    this.time += ms
    const due = this.tasks.filter(entry => entry.at <= this.time)
    this.tasks = this.tasks.filter(entry => entry.at > this.time)
    for (const { task } of due) task()
  }
}

test('a flood of output becomes at most twenty updates a second, each bounded', () => {
  const clock = new HandClock()
  const sent: Tail[] = []
  const stream = new TailStream(tail => sent.push(tail), clock)
  for (let ms = 0; ms < 1000; ms++) {
    for (let n = 0; n < 20; n++) stream.write(`line ${ms * 20 + n}\n`, n % 7 === 0 ? 'stderr' : 'stdout')
    clock.pass(1)
  }
  expect(sent.length).toBeGreaterThan(15)
  expect(sent.length).toBeLessThanOrEqual(20)
  for (const tail of sent) expect(tail.sections.reduce((sum, section) => sum + section.text.length, 0)).toBeLessThanOrEqual(4000)
  clock.pass(100)
  expect(sent.at(-1)?.lines).toBe(20_000)
  expect(sent.at(-1)?.sections.at(-1)?.text).toContain('line 19999\n')
})

test('the first line is shown at once, and nothing after the end', () => {
  const clock = new HandClock()
  const sent: Tail[] = []
  const stream = new TailStream(tail => sent.push(tail), clock)
  stream.write('hello\n', 'stdout')
  clock.pass(0)
  expect(sent).toEqual([{ sections: [{ kind: 'stdout', text: 'hello\n' }], lines: 1 }])
  stream.write('more\n', 'stdout')
  stream.close()
  stream.write('late\n', 'stdout')
  clock.pass(1000)
  expect(sent).toHaveLength(1)
})

test('one enormous write is cut to its end', () => {
  const clock = new HandClock()
  const sent: Tail[] = []
  const stream = new TailStream(tail => sent.push(tail), clock)
  stream.write('x'.repeat(10_000_000) + 'end', 'stdout')
  clock.pass(0)
  expect(sent[0]?.sections[0]?.text).toHaveLength(4000)
  expect(sent[0]?.sections[0]?.text.endsWith('end')).toBe(true)
})
