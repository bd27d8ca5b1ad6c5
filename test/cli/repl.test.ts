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
    await tui.waitFor(/Nothing is kept, so every name is lost\.\nRestart it\? \[Y\/n\]/)
    tui.keys('Enter')
    await tui.waitFor('Restarted.')
    await tui.submit('6 * 7')
    await tui.waitFor(/^42$/m)
    tui.keys('h', 'a', 'l', 'f', 'C-c')
    tui.keys('C-c')
    await tui.waitFor('Ctrl-C again, Ctrl-D or .exit leaves.')
    tui.keys('C-c')
    expect(await tui.exited()).toBe(0)
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
