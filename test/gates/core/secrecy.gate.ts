import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { insidesOf } from '../../faults/fault.ts'
import { type Gate } from '../gate.ts'
import { ROUTES } from './routes.ts'

/** The key as any dump would show it. */
function formsOf(key: Buffer): string[] {
  const digits = [...key]
  return [key.toString('hex'), key.toString('hex').toUpperCase(), key.toString('base64'), key.toString('base64url'), key.toString('latin1'), digits.join(','), digits.join(', '), digits.map(digit => `"${digit}"`).join(',')]
}

export default {
  name: 'secrecy',
  bar: 'no route of a cell yields the key of the channel',
  rounds: { full: 60, short: 30 },
  guards: [
    { takenOut: 'the wiping of the key line', edits: [{ file: 'guest/channel/key.ts', find: '  line.fill(0)\n', replace: '  process.env[\'LEFT\'] = new TextDecoder().decode(line)\n' }] },
    { takenOut: 'the one-time hand-over of the key', edits: [{ file: 'guest/channel/key.ts', find: '  key = null\n', replace: '  ;(globalThis as { leak?: unknown }).leak = [...taken].join()\n' }] },
  ],
  async run({ preset, engine, full, rounds, folder, done, figure }) {
    const place = folder()
    const routes = ROUTES.filter(({ guest, slow }) => (guest === undefined || guest === preset.name) && (full || slow !== true))
    expect(routes.length).toBeGreaterThanOrEqual(30)
    // Cold, and in the full form once more after a thousand cells.
    for (const cellsBefore of full ? [0, 1_000] : [0]) {
      const notebook = engine({ plugins: [], options: { 'output-caps': { result: 2_000_000 } }, abortGraceMs: 2_000 })
      for (let i = 0; i < cellsBefore; i++) await notebook.execute(`let n${i % 50} = ${i}`)
      await notebook.start()
      const forms = formsOf(insidesOf(notebook).link.key)
      for (const { name, code } of routes) {
        const file = join(place, 'dump')
        const text = await notebook.execute(code.replaceAll('FILE', JSON.stringify(file)), { timeoutMs: 120_000 })
        expect(text.error?.name, name).not.toBe('CellTimeout')
        let dump = ''
        try { dump = readFileSync(file, 'latin1') } catch { /* this route writes none */ }
        for (const found of [text.result ?? '', text.stdout, text.stderr, text.error?.message ?? '', dump]) {
          for (const form of forms) expect(found.includes(form), `${name} shows the key`).toBe(false)
        }
        rmSync(file, { force: true })
        done()
      }
      expect(await notebook.execute('1 + 1')).toMatchObject({ result: '2' })
    }
    figure(`${routes.length} routes`)
    expect(rounds).toBeLessThanOrEqual(full ? 2 * routes.length : routes.length)
  },
} satisfies Gate
