import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import { missing } from '../e2e/harness/installations.ts'
import { Tui } from '../e2e/harness/tui.ts'
import { temporaryFolder } from '../support/folder.ts'
import { BIN, ROOT } from './support/cli.ts'
import { testWith } from './support/needs.ts'

/** The notebook in a terminal of its own. */
function terminal(root: string, ...args: readonly string[]): Tui {
  const env = { PATH: process.env['PATH'] ?? '', HOME: root, XDG_STATE_HOME: join(root, 'xdg'), LANG: 'C.UTF-8' }
  const tui = Tui.start({ command: [process.execPath, BIN, ...args], cwd: ROOT, env, root, cols: 110, rows: 60 })
  onTestFinished(() => tui.kill())
  return tui
}

describe('the notebook on a terminal', () => {
  testWith(missing('tmux'), 'takes cells over several lines, completes names, and remembers what was typed', async () => {
    const root = temporaryFolder()
    const tui = terminal(root)
    await tui.waitFor(/preset default · bun .*\n1> ?$/m)
    await tui.submit('function double(x: number) {')
    await tui.waitFor(/^\.> ?$/m)
    await tui.submit('return x * 2')
    await tui.submit('}')
    await tui.waitFor(/^2> ?$/m)
    tui.keys('d', 'o', 'u', 'Tab')
    await tui.waitFor('2> double')
    await tui.submit('(21)')
    await tui.waitFor(/^42$/m)
    await tui.submit('.names')
    await tui.waitFor(/double +function/)
    await tui.submit('.forget double other')
    await tui.waitFor('No such name: other.')
    await tui.submit('typeof double')
    await tui.waitFor('\'undefined\'')
    await tui.submit('.frget')
    await tui.waitFor('unknown command \'.frget\'. Did you mean \'.forget\'?')
    await tui.submit('.exit')
    expect(await tui.exited()).toBe(0)
    const history = join(root, 'xdg', 'pi-rlm', 'history')
    expect(readFileSync(history, 'utf8')).toContain('function double(x: number) {\nreturn x * 2\n}\n')
    expect(statSync(history).mode & 0o777).toBe(0o600)
  })

  testWith(missing('tmux'), 'shows a spinner while a cell runs, cancels it with Ctrl-C, and offers to restart a stuck guest', async () => {
    const tui = terminal(temporaryFolder())
    await tui.waitFor(/^1> ?$/m)
    await tui.submit('console.log("tick"); await new Promise(() => {})')
    await tui.waitFor(/tick\n. running \d\.\d s/)
    tui.keys('C-c')
    await tui.waitFor('The cell was cancelled; what it had bound stays.')
    await tui.submit('for (;;) {}')
    await tui.waitFor(/running \d\.\d s/)
    tui.keys('C-c')
    await tui.waitFor(/The guest is stuck in code that cannot be interrupted\. Nothing is kept, so a restart loses every name\.\nRestart it\? \[Y\/n\]/)
    expect(tui.capture().match(/what it had bound stays/g)).toHaveLength(1)
    tui.keys('Enter')
    await tui.waitFor('Restarted; no names came back.')
    await tui.submit('6 * 7')
    await tui.waitFor(/^42$/m)
    tui.keys('h', 'a', 'l', 'f', 'C-c')
    tui.keys('C-c')
    await tui.waitFor('Ctrl-C again, Ctrl-D or .exit leaves.')
    tui.keys('C-c')
    expect(await tui.exited()).toBe(0)
  })

  testWith(missing('tmux'), 'takes nothing but an answer for one: lines typed ahead run once the guest is free, code is asked about again, and no leaves the guest alone', async () => {
    const tui = terminal(temporaryFolder())
    await tui.waitFor(/^1> ?$/m)
    await tui.submit('for (;;) {}')
    await tui.waitFor(/running \d\.\d s/)
    tui.keys('"typed " + "ahead"', 'Enter')
    tui.keys('C-c')
    await tui.waitFor(/Restart it\? \[Y\/n\] ?$/m)
    await tui.submit('nothing = 1')
    await tui.waitFor(/Answer y or n\.\nRestart it\? \[Y\/n\] ?$/m)
    await tui.submit('no')
    await tui.waitFor(/It runs on; until it is done, the next cell asks again\.[^]*Restart it\? \[Y\/n\] ?$/m)
    await tui.submit('YES')
    await tui.waitFor(/Restarted; no names came back\.[^]*'typed ahead'/)
  })

  testWith(missing('tmux'), 'asks before a restart loses names, and tells at once what came back and what did not', async () => {
    const root = temporaryFolder()
    const without = terminal(root)
    await without.waitFor(/^1> ?$/m)
    await without.submit('let n = 1')
    await without.waitFor(/^2> ?$/m)
    await without.submit('.restart')
    await without.waitFor('Nothing is kept, so a restart loses every name. Restart? [Y/n]')
    await without.submit('n')
    await without.waitFor(/^2> ?$/m)
    await without.submit('n + 41')
    await without.waitFor(/^42$/m)
    await without.kill()
    const kept = terminal(root, '--snapshot', join(root, 'state'))
    await kept.waitFor(/^1> ?$/m)
    await kept.submit('let m = 1; const f = () => 1')
    await kept.waitFor(/^2> ?$/m)
    await kept.submit('.restart')
    await kept.waitFor(/Restarted: 1 name came back from generation \d+\.\n\* .*f \(is a function/)
  })

  testWith(missing('tmux'), 'saves what it holds when it is left, and has it again', async () => {
    const root = temporaryFolder()
    const state = join(root, 'state')
    const first = terminal(root, '--snapshot', state)
    await first.waitFor(/^1> ?$/m)
    await first.submit('let kept = [1, 2]')
    await first.waitFor(/^2> ?$/m)
    await first.submit('.save')
    await first.waitFor(/Saved 1 name as generation \d+/)
    await first.submit('kept.push(3)')
    await first.waitFor(/^3$/m)
    first.keys('C-d')
    expect(await first.exited()).toBe(0)
    await first.kill()
    const second = terminal(root, '--snapshot', state)
    await second.waitFor(/1 name came back from generation \d+/)
    await second.submit('kept')
    await second.waitFor('[ 1, 2, 3 ]')
  })
})
