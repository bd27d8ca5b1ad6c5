import { dirname, join } from 'node:path'
import type { AskReply, AskRequest, ChildAgent, ModelChoice } from '../../../kernel/plugin.ts'
import { chooseModel, type KnownModel } from '../models.ts'
import { piEvents } from './events.ts'

/** What a session of pi knows that its children need. Functions are asked at each spawn, because a session changes its model. */
export interface PiAgentOptions {
  /** How this pi is started: `process.execPath` and its `cli.js`, or the one file it is. */
  readonly command: string
  readonly args: readonly string[]
  /** Extensions the parent was given on its command line; each reaches the child. */
  readonly extensions: () => readonly string[]
  /** Whether the parent found extensions by itself; its children then do, too. */
  readonly discovers: () => boolean
  /** The parent's answer to whether this folder is trusted; undefined where pi does not ask. */
  readonly trusted?: () => boolean | undefined
  /** Further arguments, such as the flag that switches the notebook on. */
  readonly flags: () => readonly string[]
  /** The flag that carries the path of the handover file. */
  readonly handoverFlag: string
  /** The parent's model, as `provider/id`. */
  readonly model: () => string | undefined
  readonly models: () => Promise<readonly KnownModel[]> | readonly KnownModel[]
  readonly ask?: (request: AskRequest) => Promise<AskReply>
}

/** pi as its own child: the same program and extensions, the prompt on stdin, its events as JSON lines. */
export function piAgent(options: PiAgentOptions): ChildAgent {
  return {
    name: 'pi',
    startGapMs: 40,
    plan: ({ id, model, cwd, env, answerPath, handoverPath }) => ({
      kind: 'child', command: options.command, cwd, env, stdio: ['pipe', 'pipe', 'pipe'],
      args: [
        ...options.args, '--mode', 'json',
        // Elsewhere than the user's own sessions, or `pi --continue` would resume a child.
        '--session-dir', join(dirname(answerPath), `${id}.session`),
        ...options.discovers() ? [] : ['--no-extensions'],
        ...options.extensions().flatMap(path => ['--extension', path]),
        ...trustArguments(options.trusted?.()),
        ...model === undefined ? [] : ['--model', model],
        ...options.flags(),
        `--${options.handoverFlag}=${handoverPath}`,
      ],
    }),
    model: async requested => chosen(requested ?? options.model(), await options.models()),
    read: piEvents,
    transient: stderr => /No API key found|ELOCKED|[Ll]ock file is already being held/.test(stderr),
    ...(options.ask !== undefined && { ask: options.ask }),
  }
}

const chosen = (wanted: string | undefined, known: readonly KnownModel[]): ModelChoice =>
  wanted === undefined ? { refused: 'the session has no model; name one: rlm.run(task, { model }).' } : chooseModel(wanted, known)

const trustArguments = (trusted: boolean | undefined): string[] => trusted === undefined ? [] : [trusted ? '--approve' : '--no-approve']
