import type { Notebook } from '../notebook.ts'
import { unknown } from '../misuse.ts'
import { renderTable } from '../table.ts'
import { freed, restart } from './restart.ts'

/** What a dot command works with. */
export interface Desk {
  readonly notebook: Notebook
  readonly line: (text: string) => void
  /** Runs a cell as if the user had typed it. */
  readonly cell: (code: string) => Promise<void>
  /** Asks until it is answered; Enter is yes, the end of the input is no. */
  readonly confirm: (question: string) => Promise<boolean>
  /** Shows that something runs. */
  readonly busy: <T>(what: string, work: () => Promise<T>) => Promise<T>
  readonly leave: () => void
}

interface DotCommand {
  readonly name: string
  readonly takes: string
  readonly does: string
  /** Whether it asks the guest, which must not be stuck then. */
  readonly asksGuest: boolean
  readonly run: (desk: Desk, args: readonly string[]) => Promise<void> | void
}

export const DOT_COMMANDS: readonly DotCommand[] = [
  { name: '.names', takes: '', does: 'what the notebook holds, with type and size', asksGuest: true, run: listNames },
  { name: '.forget', takes: 'NAME…', does: 'removes names, also from what is kept', asksGuest: true, run: forget },
  { name: '.save', takes: '', does: 'saves now (needs --snapshot PATH)', asksGuest: true, run: save },
  { name: '.restart', takes: '', does: 'goes on with a new guest; with --snapshot PATH, names are saved first and come back', asksGuest: false, run: restart },
  { name: '.help', takes: '', does: 'this list', asksGuest: false, run: ({ line }) => { line(HELP) } },
  { name: '.exit', takes: '', does: 'leaves', asksGuest: false, run: ({ leave }) => { leave() } },
]

const HELP = `Type TypeScript; the value of the last expression is shown, names stay. A cell ends where the parser says so.
${DOT_COMMANDS.map(({ name, takes, does }) => `  ${`${name} ${takes}`.padEnd(16)}${does}`).join('\n')}
Ctrl-C cancels the running cell, or drops what is typed; at an empty prompt twice it leaves. Tab completes names.`

/** Whether a line is a command and no code: no cell begins with a dot and a letter. */
export const isDotCommand = (line: string): boolean => /^\s*\.[a-z]/i.test(line)

export async function runDotCommand(desk: Desk, text: string): Promise<void> {
  const [name = '', ...args] = text.trim().split(/\s+/)
  const command = DOT_COMMANDS.find(each => each.name === name)
  if (command === undefined) desk.line(unknown('command', name, DOT_COMMANDS.map(each => each.name)).message)
  else if (!command.asksGuest || await freed(desk)) await command.run(desk, args)
}

async function listNames({ notebook, line }: Desk): Promise<void> {
  const names = await notebook.supervisor.listNamespaceNames()
  line(names.length === 0 ? 'No names yet.' : renderTable(names.map(({ name, type, size }) => [name, type, size === null ? '' : size.toLocaleString('en-US')])))
}

async function forget({ notebook, line, cell }: Desk, names: readonly string[]): Promise<void> {
  if (names.length === 0) { line('.forget needs names: .forget big other'); return }
  if (!notebook.preset.plugins.some(plugin => plugin.name === 'memory')) { line(`Names cannot be forgotten: preset '${notebook.preset.name}' lacks the plugin 'memory'.`); return }
  const there = new Set((await notebook.supervisor.listNamespaceNames()).map(({ name }) => name))
  const missing = names.filter(name => !there.has(name))
  if (missing.length > 0) line(`No such name: ${missing.join(', ')}.`)
  const known = names.filter(name => there.has(name))
  if (known.length > 0) await cell(`void rlm.forget(${known.map(name => JSON.stringify(name)).join(', ')})`)
}

async function save({ notebook, line }: Desk): Promise<void> {
  if (notebook.snapshot === null) { line('Nothing is kept: start with --snapshot PATH to save.'); return }
  const { saved, failed, lossy, generation } = await notebook.supervisor.snapshotState()
  line(`Saved ${saved.length} name${saved.length === 1 ? '' : 's'} as generation ${generation} in ${notebook.snapshot}.`)
  for (const { name, reason } of failed) line(`* Not saved: ${name} (${reason})`)
  for (const { name, reason } of lossy) line(`* Saved with loss: ${name} (${reason})`)
}
