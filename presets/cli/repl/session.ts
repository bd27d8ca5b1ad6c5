import { createInterface, type Interface } from 'node:readline'
import type { Io } from '../io.ts'
import { messageOf } from '../misuse.ts'
import type { Notebook } from '../notebook.ts'
import { renderEnd, renderRestore } from '../render.ts'
import { settled } from '../show.ts'
import { type Desk, DOT_COMMANDS, isDotCommand, runDotCommand } from './commands.ts'
import { History, userStateFolder } from './history.ts'
import { isIncomplete } from './incomplete.ts'
import { Input } from './input.ts'
import { freed } from './restart.ts'
import { Screen } from './screen.ts'

const YES: ReadonlySet<string> = new Set(['', 'y', 'yes'])
const NO: ReadonlySet<string> = new Set(['n', 'no'])

/** A person at the notebook: reads cells, runs them, shows what comes, and survives what they do. */
export class Repl {
  private readonly notebook: Notebook
  private readonly io: Io
  private readonly screen: Screen
  private readonly history: History
  private readonly readline: Interface
  private readonly input: Input
  private readonly desk: Desk
  private running: AbortController | null = null
  /** The lines of a cell that wants more. */
  private begun: string[] = []
  /** The question that waits for an answer. */
  private asking: string | null = null
  private leaving = false
  private warned = false

  constructor(notebook: Notebook, io: Io) {
    this.notebook = notebook
    this.io = io
    this.screen = new Screen(io.stdout)
    this.history = new History(userStateFolder(io.env), text => { this.screen.line(`* ${text}`) })
    this.readline = createInterface({
      input: io.stdin, output: io.stdout, terminal: io.stdin.isTTY && io.stdout.isTTY, history: this.history.load(), historySize: 1_000, removeHistoryDuplicates: true,
      completer: (line: string, done: (error: null, found: [string[], string]) => void) => { this.complete(line).then(found => { done(null, found) }, () => { done(null, [[], line]) }) },
    })
    this.input = new Input(this.readline)
    this.desk = {
      notebook, line: text => { this.screen.line(text) }, cell: code => this.cell(code), leave: () => { this.leaving = true },
      confirm: question => this.confirm(question), busy: (what, work) => this.whileBusy(what, work),
    }
    this.readline.on('SIGINT', () => { this.onInterrupt() })
    notebook.ending.addEventListener('abort', () => { this.running?.abort(); this.readline.close() })
  }

  async run(): Promise<void> {
    try {
      await this.greet()
      while (!this.leaving) {
        this.prompt()
        const line = await this.input.next()
        if (line === undefined) break
        this.screen.entered()
        this.warned = false
        await this.take(line)
      }
    } finally {
      this.readline.close()
    }
  }

  private async greet(): Promise<void> {
    const { supervisor, preset } = this.notebook
    const report = await this.whileBusy('starting', () => supervisor.start())
    this.screen.line(`pi-rlm · preset ${preset.name} · ${supervisor.current?.runtimeVersion ?? preset.runtime.name} · .help for help`)
    if (report !== null) this.screen.line(renderRestore(report))
  }

  private prompt(): void {
    const number = (this.notebook.supervisor.current?.cellCount ?? 0) + 1
    this.readline.setPrompt(this.asking ?? (this.begun.length > 0 ? `${'.'.repeat(String(number).length)}> ` : `${number}> `))
    this.readline.prompt()
  }

  private async take(line: string): Promise<void> {
    if (this.begun.length === 0 && isDotCommand(line)) {
      this.history.add(line)
      await this.guarded(() => runDotCommand(this.desk, line))
      return
    }
    const lines = [...this.begun, line]
    const code = lines.join('\n')
    if (code.trim() === '') return
    if (await isIncomplete(code)) { this.begun = lines; return }
    this.begun = []
    this.history.add(code)
    await this.guarded(async () => { if (await freed(this.desk)) await this.cell(code) })
  }

  private async cell(code: string): Promise<void> {
    const { supervisor, cellOptions } = this.notebook
    const controller = this.running = new AbortController()
    const result = await this.whileBusy('running', () => settled(supervisor.execute(code, {
      ...cellOptions, signal: controller.signal, onStream: text => { this.screen.print(text) },
    })))
    this.running = null
    const { out, err } = renderEnd(result, { stuck: supervisor.current?.isWedged === true })
    for (const text of [out, err]) if (text !== '') this.screen.line(text.replace(/\n$/, ''))
    await freed(this.desk)
  }

  private async confirm(question: string): Promise<boolean> {
    this.asking = `${question} [Y/n] `
    try {
      for (;;) {
        this.prompt()
        const answer = (await this.input.fresh())?.trim().toLowerCase()
        this.screen.entered()
        if (answer === undefined || NO.has(answer)) return false
        if (YES.has(answer)) return true
        this.screen.line('Answer y or n.')
      }
    } finally {
      this.asking = null
    }
  }

  private async whileBusy<T>(what: string, work: () => Promise<T>): Promise<T> {
    this.readline.setPrompt('')
    this.screen.busy(what)
    try {
      return await work()
    } finally {
      this.screen.rest()
    }
  }

  /** The notebook survives a failure of its engine: the next cell tries a new one. */
  private async guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.screen.line(messageOf(error))
    } finally {
      this.running = null
    }
  }

  private onInterrupt(): void {
    if (this.running !== null) { this.running.abort(); return }
    const typed = this.begun.length > 0 || this.readline.line !== ''
    this.begun = []
    this.readline.write(null, { ctrl: true, name: 'e' })
    this.readline.write(null, { ctrl: true, name: 'u' })
    this.io.stdout.write('\n')
    this.screen.entered()
    if (!typed && this.warned) { this.readline.close(); return }
    this.warned = !typed
    if (!typed) this.screen.line('Ctrl-C again, Ctrl-D or .exit leaves.')
    this.prompt()
  }

  private async complete(line: string): Promise<[string[], string]> {
    const [word = ''] = /[\w$]*$/.exec(line) ?? []
    if (this.running !== null) return [[], word]
    if (isDotCommand(line) && this.begun.length === 0 && !line.includes(' ')) return [DOT_COMMANDS.map(({ name }) => name).filter(name => name.startsWith(line)), line]
    // After a dot stands a property: to name it a value would have to be read.
    if (word === '' || line.slice(0, -word.length).endsWith('.')) return [[], word]
    const names = (await this.notebook.supervisor.listNamespaceNames()).map(({ name }) => name)
    return [names.filter(name => name.startsWith(word)), word]
  }
}
