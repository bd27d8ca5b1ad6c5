/**
 * Every error a caller can meet. Tell them apart by `code`, never by `instanceof`: a host may load this module twice.
 */
export class RlmError extends Error {
  readonly code: string
  constructor(code: string, name: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.name = name
  }
}

/** The engine was killed, disposed or died; make a new one. */
export const engineDead = (why: string, cause?: unknown): RlmError =>
  new RlmError('ENGINE_DEAD', 'EngineDeadError', `This engine has ended (${why}). Create a new one and call restoreState().`, cause)

/** The guest died under a call. `how` names the exit code or signal. */
export const guestDied = (how: string, tail: string): RlmError & { readonly how: string } =>
  Object.assign(new RlmError('GUEST_DIED', 'GuestDied', `The guest ended while the call was running: ${how}.${tail ? `\nIts last words:\n${tail}` : ''}`), { how })

/** The guest does not answer: a cell keeps it busy in synchronous code. */
export class EngineBusyError extends RlmError {
  constructor(cell: string) {
    super('ENGINE_BUSY', 'EngineBusyError', `The guest is busy: ${cell} runs synchronous code that cannot be interrupted. Kill this engine, start a new one and call restoreState().`)
  }
}

/** The guest could not be started. */
export const startFailed = (message: string, cause?: unknown): RlmError => new RlmError('START_FAILED', 'GuestStartError', message, cause)

/** A runtime such as bun is missing or unusable. */
export const runtimeMissing = (message: string, cause?: unknown): RlmError => new RlmError('RUNTIME_MISSING', 'RuntimeMissingError', message, cause)

/** A plugin's options do not fit its schema. */
export const badOptions = (plugin: string, problem: string): RlmError =>
  new RlmError('BAD_OPTIONS', 'PluginOptionsError', `options of plugin '${plugin}': ${problem}`)

/** An argument of the public API is wrong. */
export const badArgument = (message: string): RlmError => new RlmError('BAD_ARGUMENT', 'ArgumentError', message)

/** A preset is not one, or lists what cannot be combined. */
export const badPreset = (message: string, cause?: unknown): RlmError => new RlmError('BAD_PRESET', 'PresetError', message, cause)

/** A cell id is already in use by a cell that has not ended. */
export const cellIdTaken = (id: string): RlmError =>
  new RlmError('CELL_ID_TAKEN', 'CellIdTakenError', `cell id '${id}' belongs to a cell that has not ended; use another id or leave it out`)
