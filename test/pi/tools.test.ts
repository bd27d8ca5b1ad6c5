import { createBashToolDefinition, createEditToolDefinition, createReadToolDefinition } from '@mariozechner/pi-coding-agent'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { factorySource, type ToolFactories } from '../../plugins/pi-tools/factories.ts'
import { factoriesOf } from '../../plugins/pi-tools/installed.ts'
import { replyOf } from '../../plugins/pi-tools/reply.ts'

const cwd = mkdtempSync(join(tmpdir(), 'pi-tools-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))
const factories = factoriesOf({ createReadToolDefinition, createBashToolDefinition, createEditToolDefinition, somethingElse: 1 })
const source = factorySource(factories, cwd)
const cell = { id: 'cell-1', number: 1, source: '' }
const call = async (name: string, args: object, signal = new AbortController().signal) => replyOf(name, args, await source.call(name, args, { cell, signal }))

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
writeFileSync(join(cwd, 'short.txt'), 'one\ntwo')
writeFileSync(join(cwd, 'long.txt'), Array.from({ length: 3000 }, (_, n) => `line ${n + 1}`).join('\n'))
writeFileSync(join(cwd, 'sly.txt'), 'text\n\n[5 more lines in file. Use offset=3 to continue.]')
writeFileSync(join(cwd, 'pixel.png'), Buffer.from(PIXEL, 'base64'))

test('pi\'s factories are found by their names', () => { expect(Object.keys(factories satisfies ToolFactories).sort()).toEqual(['bash', 'edit', 'read']) })

test('a read gives text, details, and the raw text without the reader\'s notices', async () => {
  expect((await call('read', { path: 'short.txt' })).value).toEqual({ text: 'one\ntwo', images: 0, details: null, raw: 'one\ntwo' })
  const cut = (await call('read', { path: 'long.txt' })).value as { text: string; raw: string; details: { truncation: { truncated: boolean } } }
  expect(cut.text).toMatch(/\[Showing lines 1-2000 of 3000/)
  expect(cut.raw.endsWith('line 2000')).toBe(true)
  expect(cut.details.truncation.truncated).toBe(true)
  const part = (await call('read', { path: 'long.txt', offset: 10, limit: 2 })).value as { raw: string }
  expect(part.raw).toBe('line 10\nline 11')
})

test('a file that ends in words like the reader\'s keeps them', async () => {
  const { raw } = (await call('read', { path: 'sly.txt' })).value as { raw: string }
  expect(raw.endsWith('[5 more lines in file. Use offset=3 to continue.]')).toBe(true)
})

test('an image stays on the host; the cell is told how many there are', async () => {
  const { value, images } = await call('read', { path: 'pixel.png' })
  expect(value).toMatchObject({ images: 1 })
  expect(value).not.toHaveProperty('raw')
  expect(images).toEqual([expect.objectContaining({ mimeType: 'image/png' })])
  expect(JSON.stringify(value)).not.toContain(images[0]?.data)
})

test('a failed call rejects with the tool\'s own words', async () => {
  await expect(call('read', { path: 'nowhere.txt' })).rejects.toMatchObject({ name: 'ToolError', message: expect.stringContaining('nowhere.txt') as string })
  await expect(call('edit', { path: 'short.txt', edits: [{ oldText: 'three', newText: '3' }] })).rejects.toThrow(/could not find/i)
  await expect(call('bash', { command: 'echo before; exit 3' })).rejects.toThrow(/before[\s\S]*code 3/)
})

test('a command ends at its time limit and when its cell is cancelled', async () => {
  await expect(call('bash', { command: 'sleep 30', timeout: 0.2 })).rejects.toThrow(/timed out/i)
  const controller = new AbortController()
  setTimeout(() => controller.abort(), 100)
  await expect(call('bash', { command: 'sleep 30' }, controller.signal)).rejects.toThrow(/abort/i)
})

test('details that JSON cannot carry are left out, and an answer as data is passed on', () => {
  const loop: { self?: unknown } = {}
  loop.self = loop
  expect(replyOf('x', {}, { content: [], details: loop, structured: { a: [1] }, failed: false }).value).toEqual({ text: '', images: 0, details: null, structured: { a: [1] } })
})
