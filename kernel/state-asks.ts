import { reasonOf } from '../guest/reason.ts'
import type { Command, Frame, NameEntry, RestoreReport, SnapshotReport } from '../guest/protocol.ts'
import { Asks } from './asks.ts'
import { RlmError } from './errors.ts'
import type { HostHooks, StateReport } from './hooks.ts'
import { SavedNames } from './saved-names.ts'

type Answer = Extract<Frame, { readonly ask: number }>

/** What the host asks the guest about its state. Each call rejects when the guest dies. */
export class StateAsks {
  private readonly asks = new Asks()
  private readonly savedNames = new SavedNames()
  private readonly send: (command: Command) => boolean
  private readonly hooks: HostHooks
  private readonly notice: (text: string) => void

  constructor(send: (command: Command) => boolean, hooks: HostHooks, notice: (text: string) => void) {
    this.send = send
    this.hooks = hooks
    this.notice = notice
  }

  answered(answer: Answer): void { this.asks.answered(answer) }
  rejectAll(error: RlmError): void { this.asks.rejectAll(error) }

  async ping(): Promise<void> { await this.asks.ask(this.send, { type: 'ping' }) }

  async names(): Promise<readonly NameEntry[]> {
    const answer = await this.asks.ask(this.send, { type: 'names' })
    return answer.type === 'names' ? answer.names : []
  }

  async save(): Promise<SnapshotReport> {
    const answer = await this.asks.ask(this.send, { type: 'save' })
    if (answer.type !== 'saved') return this.failed('save', answer)
    const report = this.savedNames.report(answer.report)
    await this.tell({ type: 'save', report })
    return report
  }

  async restore(generation: number | null): Promise<RestoreReport | null> {
    const answer = await this.asks.ask(this.send, { type: 'restore', generation })
    if (answer.type !== 'restored') return this.failed('restore', answer)
    if (answer.report !== null) await this.tell({ type: 'restore', report: answer.report })
    return answer.report
  }

  private async failed(what: 'save' | 'restore', answer: Answer): Promise<never> {
    const { name, message } = answer.type === 'refused' ? answer.error : { name: 'Error', message: `the guest answered '${answer.type}'` }
    await this.tell({ type: 'failed', what, reason: message })
    throw new RlmError(what === 'save' ? 'SAVE_FAILED' : 'RESTORE_FAILED', name, message)
  }

  private async tell(report: StateReport): Promise<void> {
    try {
      await this.hooks.onSnapshot.promise(report)
    } catch (error) {
      this.notice(reasonOf(error))
    }
  }
}
