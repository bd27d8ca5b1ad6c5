/** An error of the cell's own making or of a child it asked about; `code` tells which. */
export class ChildError extends Error {
  readonly code: string
  constructor(code: string, name: string, message: string, facts: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.code = code
    this.name = name
    this.stack = `${name}: ${message}${cellFrames(this.stack ?? '')}`
    Object.assign(this, facts)
  }
}

/** A stack that shows the cell's lines only; where this file threw is of no use to a cell. */
const cellFrames = (stack: string): string => stack.split('\n').filter(line => /^\s+at .*\bcell \d+:\d+/.test(line)).map(line => `\n${line}`).join('')

/** The time of a wait is over; the children run on. */
export const waitTimeout = (ms: number, names: readonly string[]): ChildError =>
  new ChildError('WAIT_TIMEOUT', 'WaitTimeout', `waited ${ms} ms and ${names.length === 0 ? 'the host did not answer' : `${names.join(', ')} still ${names.length === 1 ? 'runs' : 'run'}`}. The children go on; wait again, or end them with rlm.deleteSubagent.`)

/** A child ended without an answer. */
export const childFailed = (child: Readonly<Record<string, unknown>>): ChildError => {
  const partial = typeof child['partial_file'] === 'string' ? ` What it had said is in ${child['partial_file']}.` : ''
  const said = typeof child['message'] === 'string' ? `: ${child['message']}` : ''
  return new ChildError('CHILD_FAILED', 'ChildFailed', `child '${String(child['name'])}' ended without an answer (${String(child['reason'] ?? child['status'])})${said}.${partial}`,
    { id: child['id'], status: child['status'], reason: child['reason'] })
}

export const badCall = (message: string): ChildError => new ChildError('BAD_ARGUMENT', 'ArgumentError', message)
