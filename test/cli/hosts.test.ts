import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { bunProgram } from '../e2e/harness/installations.ts'
import { answers, cli, ROOT } from './support/cli.ts'
import { testWith } from './support/needs.ts'

const NODE_24 = join(ROOT, 'test/e2e/node_modules/node/bin/node')

const hosts = [
  { name: 'bun', program: bunProgram(), lack: undefined },
  { name: 'the newer node', program: NODE_24, lack: existsSync(NODE_24) ? undefined : 'Node 24 is not installed: npm ci --prefix test/e2e' },
]

describe.each(hosts)('with $name as its host', ({ program, lack }) => {
  for (const preset of ['default', 'node']) {
    testWith(lack, `runs cells, survives a guest that exits, and ends cleanly on preset ${preset}`, async () => {
      const lines = [{ id: 1, code: 'let x: number = 41; console.log("hi"); x + 1' }, { id: 2, code: 'process.exit(3)' }, { id: 3, code: '"on"' }, 'nonsense']
      const { code, stdout, stderr } = await cli(['exec', '--preset', preset], lines.map(line => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''), { host: program })
      const said = answers(stdout)
      expect(said.get(1)).toMatchObject({ status: 'ok', stdout: 'hi\n', result: '42' })
      expect(said.get(2)).toMatchObject({ status: 'error', error: { name: 'GuestDied' } })
      expect(said.get(3)).toMatchObject({ status: 'ok', result: '\'on\'' })
      expect([code, stderr]).toEqual([2, ''])
    })
  }
  testWith(lack, 'runs piped input and refuses what it cannot do', async () => {
    expect(await cli([], 'console.log("hi"); 1 + 1', { host: program })).toMatchObject({ code: 0, stdout: 'hi\n2\n', stderr: '' })
    expect(await cli(['--prest'], '', { host: program })).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean \'--preset\'') as string })
  })
})
