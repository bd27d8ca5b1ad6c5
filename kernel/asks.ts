import type { Command, Frame } from '../guest/protocol.ts'

type Answer = Extract<Frame, { readonly ask: number }>
type Asking = Extract<Command, { readonly ask: number }>
type WithoutAsk<T> = T extends unknown ? Omit<T, 'ask'> : never

/** Questions to the guest that wait for one frame with the same number. */
export class Asks {
  private readonly waiting = new Map<number, { resolve(answer: Answer): void; reject(error: unknown): void }>()
  private count = 0

  ask(send: (command: Command) => boolean, command: WithoutAsk<Asking>): Promise<Answer> {
    const ask = ++this.count
    return new Promise((resolve, reject) => {
      this.waiting.set(ask, { resolve, reject })
      send({ ...command, ask })
    })
  }

  answered(answer: Answer): void {
    const waiting = this.waiting.get(answer.ask)
    this.waiting.delete(answer.ask)
    waiting?.resolve(answer)
  }

  rejectAll(error: unknown): void {
    for (const { reject } of this.waiting.values()) reject(error)
    this.waiting.clear()
  }
}
