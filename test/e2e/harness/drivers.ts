import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Pi } from './pi.ts'
import type { Rpc } from './rpc.ts'
import type { Tui } from './tui.ts'

/** What a person or a program does with a pi that goes on from prompt to prompt. */
export interface Driver {
  prompt(text: string): Promise<void>
  /** Sends a prompt and cancels its cell once that has printed `text` and some time has passed. */
  cancel(prompt: string, text: string, afterMs?: number): Promise<void>
  reload(): Promise<void>
  /** A new session that begins before a prompt. */
  fork(prompt: string): Promise<void>
  /** The same session, before a prompt. */
  tree(prompt: string): Promise<void>
  /** Looks that the screen shows this, where there is one. */
  sees(pattern: RegExp): Promise<void>
  quit(): Promise<void>
}

/** pi over its RPC; a reload and the tree need the commands of fixtures/steer.ts. */
export function rpcDriver(rpc: Rpc): Driver {
  return {
    prompt: text => rpc.prompt(text),
    async cancel(prompt, _text, afterMs = 0) {
      const from = rpc.events.length
      await rpc.send('prompt', { message: prompt })
      await rpc.next(event => event.type === 'tool_execution_update', { from })
      await sleep(afterMs)
      await rpc.send('abort')
      await rpc.settled(from)
    },
    async reload() { await rpc.send('prompt', { message: '/test-reload' }) },
    async fork(prompt) {
      const { data } = await rpc.send('get_fork_messages')
      const message = (data?.['messages'] as { entryId: string; text: string }[]).findLast(each => each.text === prompt)
      await rpc.send('fork', { entryId: message?.entryId })
    },
    async tree(prompt) { await rpc.send('prompt', { message: `/test-tree ${prompt}` }) },
    sees: () => Promise.resolve(),
    async quit() {
      expect(rpc.stderr).toBe('')
      expect(await rpc.close()).toBe(0)
    },
  }
}

/** pi in a terminal, with the keys a person presses. */
export async function tuiDriver(pi: Pi, args: readonly string[]): Promise<Driver & { readonly tui: Tui }> {
  const tui = pi.tui(args, { cols: 110, rows: 100 })
  await tui.waitFor('scripted-model')
  return {
    tui,
    async prompt(text) {
      await tui.submit(text)
      await tui.waitFor(`Done: ${text}.`)
    },
    async cancel(prompt, text, afterMs = 0) {
      await tui.submit(prompt)
      await tui.waitFor(new RegExp(`● .*\\n +${text}`))
      await sleep(afterMs)
      tui.keys('Escape')
      await tui.waitFor(new RegExp(` ${prompt}\\n+⊘ [^]*Operation aborted`))
    },
    async reload() {
      await tui.submit('/reload')
      await tui.waitFor(/Reloaded/)
    },
    // Both lists begin at the newest entry.
    async fork(prompt) {
      await tui.submit('/fork')
      await upTo(tui, 'Fork from Message', `› ${prompt}`)
      tui.keys('Enter')
      await tui.waitFor('Forked to new session')
      await emptied(tui, prompt)
    },
    async tree(prompt) {
      await tui.submit('/tree')
      await upTo(tui, 'Session Tree', `› • user: ${prompt}`)
      tui.keys('Enter')
      await tui.waitFor('→ No summary')
      tui.keys('Enter')
      await tui.waitFor('Navigated to selected point')
      await emptied(tui, prompt)
    },
    async sees(pattern) { await tui.waitFor(pattern) },
    async quit() {
      tui.keys('C-d')
      expect(await tui.exited()).toBe(0)
    },
  }
}

/** Presses the arrow until a line of a list is the chosen one. */
async function upTo(tui: Tui, title: string, line: string): Promise<void> {
  await tui.waitFor(title)
  for (let presses = 0; presses < 40; presses++) {
    if (tui.capture().split('\n').some(each => each.trim() === line)) return
    tui.keys('Up')
    await sleep(200)
  }
  throw new Error(`'${line}' is not in the list:\n${tui.capture()}`)
}

/** pi puts the prompt it went back to into the editor; it is taken out again. */
async function emptied(tui: Tui, prompt: string): Promise<void> {
  await tui.waitFor(new RegExp(`^─+\\n${prompt} *\\n─+$`, 'm'))
  tui.keys('C-u')
  await tui.waitFor(/^─+\n *\n─+$/m)
}
