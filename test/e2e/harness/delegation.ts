import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { EXTENSION, type Pi } from './pi.ts'
import type { Rpc } from './rpc.ts'
import { byPrompt, cell, type Conversation, type ModelRequest, type Script, type Turn, type TurnPlan } from './script.ts'

export const RLM = ['--rlm=1', '-e', EXTENSION]

/** What tasks that begin with `Held:` wait for. */
export class Gate {
  private open: () => void = () => {}
  private readonly opened = new Promise<void>(resolve => { this.open = resolve })
  release(): void { this.open() }
  /** The answer once the gate is open. */
  async after(text: string): Promise<Turn> {
    await this.opened
    return text
  }
}

/**
 * A script for parents and children: parents go by what their user says; a child says what its task tells it to.
 * A message that begins with `told` is answered at once.
 * `Say: text` is answered with the text, `Held: text` when the gate is open, `Cell: code` with what that cell shows.
 */
export function delegation(cells: Readonly<Record<string, readonly (string | TurnPlan)[]>>, gate = new Gate(), told?: string): Script {
  const children: Conversation[] = [
    { name: 'say', match: /^Say: /, turns: request => request.lastPrompt.slice('Say: '.length) },
    { name: 'held', match: /^Held: /, turns: request => gate.after(request.lastPrompt.slice('Held: '.length)) },
    { name: 'cell', match: /^Cell: /, turns: request => request.toolResults.at(-1)?.text ?? cell(request.prompt.slice('Cell: '.length)) },
  ]
  const [parent] = byPrompt(cells) as readonly [Conversation & { readonly turns: (request: ModelRequest) => Turn }]
  return [...children, { turns: request => told !== undefined && request.lastPrompt.startsWith(told) ? 'I have read it.' : parent.turns(request) }]
}

/** A parent whose child has two children, one of which asks its model for ever and one of which waits for a shell. */
export function deepTree(cells: Parameters<typeof delegation>[0] = {}): { readonly script: Script; readonly prompt: string; grown(pi: Pi, requests: readonly ModelRequest[]): boolean } {
  const script = delegation({
    ...cells,
    grow: [
      `const shell = 'Cell: await tools.bash({ command: "sleep 98765" })'
       const tree = 'Cell: await rlm.run("Held: never"); await (await rlm.run(' + JSON.stringify(shell) + ')).wait()'
       await rlm.run(tree, { name: 'branch' }); await new Promise(() => {})`,
    ],
  })
  return { script, prompt: 'grow', grown: (pi, requests) => requests.some(({ prompt }) => prompt === 'Held: never') && processesOf(pi).some(pid => commandOf(pid) === 'sleep 98765') }
}

/** What the scripted model bills for a request. */
export const BILLED = 110

/** All tokens of a session, as pi counts them. */
export async function tokensOf(rpc: Rpc): Promise<number> {
  const { data } = await rpc.send('get_session_stats')
  return (data?.['tokens'] as { readonly total: number }).total
}

/** Live processes that were started in the throw-away home of a pi, at whatever depth. */
export function processesOf(pi: Pi): number[] {
  return readdirSync('/proc').filter(name => /^\d+$/.test(name)).map(Number).filter(pid => pid !== process.pid && livesIn(pid, pi.root))
}

function livesIn(pid: number, root: string): boolean {
  try {
    const [state] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? ''
    return state !== 'Z' && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(root)
  } catch { return false }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim()
  } catch { return '' }
}

/** Waits until nothing that was started in a pi's home is left: what watches over a notebook sees the end of its host a moment later. */
export const gone = (pi: Pi, timeout?: number): Promise<void> =>
  eventually('nothing of the session is left', () => processesOf(pi).length === 0, timeout).catch((cause: unknown) => { throw new Error(`left: ${processesOf(pi).map(commandOf).join('; ')}`, { cause }) })

/** Waits until `test` holds; fails after `timeout` with what was waited for. */
export async function eventually(what: string, test: () => boolean, timeout = 60_000): Promise<void> {
  for (const end = Date.now() + timeout; !test(); await sleep(50)) if (Date.now() > end) throw new Error(`never: ${what}`)
}
