import type { Sender } from './channel/sender.ts'
import { describeThrown } from './describe/thrown.ts'
import { describeStack } from './cell/index.ts'
import { createSession, type Session } from './session.ts'
import type { Command } from './protocol.ts'
import { refusal } from './handles.ts'

const { exit } = process

/** Answers the function that every command of the host goes to. Nothing it does throws into the reader. */
export function boot(sender: Sender): (command: Command) => void {
  let session: Session | null = null
  const fatal = (error: unknown): void => { sender.send({ type: 'fatal', error: describeThrown(error, describeStack) }) }
  return command => {
    try {
      if (command.type === 'boot') createSession(sender, command).then(made => { session = made; made.ready() }, fatal)
      else dispatch(command, session, sender)
    } catch (error) {
      fatal(error)
    }
  }
}

function dispatch(command: Exclude<Command, { type: 'boot' }>, session: Session | null, sender: Sender): void {
  switch (command.type) {
    case 'run': return session?.runner.run(command)
    case 'abort': return session?.runner.abort(command.cell)
    case 'reply': return session?.bridge.answer(command.call, waiting => { waiting.resolve(command.value) })
    case 'refuse': return session?.bridge.answer(command.call, waiting => { waiting.reject(refusal(command.error)) })
    case 'ping': return sender.send({ type: 'pong', ask: command.ask })
    case 'names': return session?.names(command.ask)
    case 'save': return session?.save(command.ask)
    case 'restore': return session?.restore(command.ask, command.generation)
    case 'resend': return sender.resend(command.seq)
    case 'stop': session?.close(); return exit(0)
    case 'part': return
  }
}
