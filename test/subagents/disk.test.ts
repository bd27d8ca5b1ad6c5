import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bench, op } from './support/fake-host.ts'
import { finished } from './support/lives.ts'
import { pause, until } from '../support/engine.ts'

describe('the disk', () => {
  test('a record that cannot be written loses no child and is written later', async () => {
    await using kids = bench()
    const write = kids.family.folder.write.bind(kids.family.folder)
    let fails = false
    kids.family.folder.write = record => { if (fails) throw Object.assign(new Error('no space'), { code: 'ENOSPC' }); write(record) }
    const { record } = await kids.family.admit({ task: op('sleep', { ms: 50 }), cell: 'c' })
    fails = true
    await pause(400)
    expect(kids.family.find(record.id).status).not.toBe('error')
    fails = false
    await until('it is written', () => kids.family.folder.read(record.id)?.status === 'completed')
  })

  test('an answer that cannot be written is an error and no silent loss', async () => {
    await using kids = bench()
    const { record } = await kids.family.admit({ task: op('sleep', { ms: 300, text: 'x' }), cell: 'c' })
    await until('it runs', () => kids.family.find(record.id).record.process !== undefined)
    rmSync(kids.family.folder.path, { recursive: true })
    await until('it has ended', () => kids.family.active().length === 0)
    kids.family.folder.prepare()
    await until('the record is there', () => kids.family.folder.read(record.id) !== undefined)
    expect(kids.family.folder.read(record.id)).toMatchObject({ status: 'error', reason: 'failed', message: expect.stringContaining('could not be written') as string })
  })

  test('the folder ignores itself, and nobody else may look into it', async () => {
    await using kids = bench()
    const record = await finished(kids, 'x')
    const { statSync } = await import('node:fs')
    expect(readFileSync(join(kids.family.folder.path, '.gitignore'), 'utf8')).toBe('*\n')
    expect(statSync(kids.family.folder.path).mode & 0o777).toBe(0o700)
    expect([record.output_file, record.prompt_file, `${kids.family.folder.path}/${record.id}.json`].map(path => statSync(path).mode & 0o777)).toEqual([0o600, 0o600, 0o600])
  })
})
