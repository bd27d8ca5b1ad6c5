import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { SETUPS } from './harness/installations.ts'
import { EXTENSION, type Pi } from './harness/pi.ts'
import { scene } from './harness/scene.ts'
import { byPrompt } from './harness/script.ts'
import { CELLS, checkCrash, checkWork, furnish } from './harness/tour.ts'

const RLM = ['--rlm=1', '-e', EXTENSION]

const ledger = (pi: Pi): { tool: string; status: string }[] => {
  const [session] = readdirSync(join(pi.work, '.pi-rlm')).filter(name => existsSync(join(pi.work, '.pi-rlm', name, 'calls.jsonl')))
  return readFileSync(join(pi.work, '.pi-rlm', session ?? '', 'calls.jsonl'), 'utf8').trim().split('\n').map(line => JSON.parse(line) as { tool: string; status: string })
}

for (const { version, guest } of SETUPS) {
  scene(version, 'a tour in print mode, continued by a second process', byPrompt(CELLS), { guest }, async theScene => {
    const { pi, shown } = theScene
    furnish(pi)
    expect(await pi.print([...RLM, 'work', 'crash'])).toMatchObject({ code: 0, stdout: 'Done: crash.\n', stderr: '' })
    checkWork(theScene)
    checkCrash(theScene)
    expect(ledger(pi).map(({ tool, status }) => `${tool} ${status}`)).toEqual(['tools.read ok', 'tools.edit error', 'tools.raed error', 'tools.read error', 'tools.read ok', 'tools.write ok'])
    expect(await pi.print(['--continue', ...RLM, 'again'])).toMatchObject({ code: 0, stdout: 'Done: again.\n', stderr: '' })
    expect(shown('again')[0]).toMatch(/^Notice: [^\n]*helper[\s\S]*\[ 40, 'a note', 'undefined' \]$/)
  })

  scene(version, 'a tour in JSON mode', byPrompt(CELLS), { guest }, async theScene => {
    const { pi } = theScene
    furnish(pi)
    const run = await pi.json([...RLM, 'work', 'crash'])
    expect(run).toMatchObject({ code: 0, stderr: '' })
    checkWork(theScene)
    checkCrash(theScene)
    const ends = run.events.filter(event => event.type === 'tool_execution_end' && event.toolName === 'execute')
    expect(ends.map(event => event.isError)).toEqual([false, false, true, false, false, false, true, true, true, false, false, true, false])
    expect(ends[2]?.result?.details).toMatchObject({ cell: 3, status: 'error', errorName: 'TypeError' })
    expect(ends[5]?.result?.content.map(block => block.type)).toEqual(['text', 'image'])
  })
}
