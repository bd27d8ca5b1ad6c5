import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Host, ModelChoice } from '../../kernel/plugin.ts'
import type { Life } from './child/life.ts'
import type { ChildView } from './records/status.ts'
import { refusal, refuse } from './limits.ts'
import { freeName, newId, plainText } from './naming.ts'
import type { Nursery } from './nursery.ts'
import type { ChildPaths } from './records/folder.ts'
import type { Identity } from './records/identity.ts'
import type { ChildRecord } from './records/record.ts'
import type { Household } from './nursery.ts'

/** A value that is handed over as a file. */
export interface InputFile { readonly name: string; readonly path: string; readonly bytes: number; readonly kind: string }

/** What a cell asks for. */
export interface Admission {
  readonly task: string
  readonly cell: string
  readonly name?: string
  readonly model?: string
  readonly timeoutMs?: number
  readonly inputs?: readonly InputFile[]
}

interface Applicant extends Household {
  readonly self: Identity
  list(all?: boolean): ChildView[]
}

const TASK_PREVIEW = 300
/** Characters of an input's name that the prompt shows. */
const NAME_SHOWN = 100
/** A token is four characters of plain text, more or less; a prompt this near to the window cannot work. */
const CHARS_PER_TOKEN = 4

/** Checks everything that can be checked before a process exists, then writes the record. A refusal leaves nothing behind. */
export async function admit(family: Applicant, nursery: Nursery, wanted: Admission): Promise<Life> {
  const host = family.speaker()
  const agent = host.agent()
  if (agent === undefined) throw refuse('NO_AGENT', 'this preset has no child agent. Under pi it is pi itself; elsewhere a plugin gives one with host.childAgent(…).')
  if (wanted.task.includes('\0')) throw refuse('BAD_TASK', 'the task holds a NUL character, which no agent can be given. Remove it, or hand the value over with inputs.')
  if (!existsSync(host.cwd)) throw refuse('NO_FOLDER', `the working directory ${host.cwd} does not exist`)
  const depth = family.settings.depth + 1
  const tooDeep = refusal(depth, { admitted: 0, working: 0, tokens: 0, cost: 0 }, family.settings.limits)
  if (tooDeep !== undefined) throw tooDeep
  const requested = wanted.model ?? family.settings.model ?? undefined
  const choice = await agent.model?.(requested) ?? { model: requested ?? null }
  const model = accepted(choice, wanted)
  return family.decide(() => {
    const refused = refusal(depth, family.totals(), family.settings.limits)
    if (refused !== undefined) throw refused
    family.folder.prepare()
    const record = newRecord(family, host, wanted, { requested: wanted.model ?? null, chosen: model, actual: null }, agent.name)
    const paths = family.folder.paths(record.id)
    try {
      writeFileSync(paths.prompt, wanted.task + inputsText(takeInputs(wanted.inputs ?? [], paths)), { mode: 0o600, flag: 'wx' })
      family.folder.write(record)
    } catch (cause) {
      for (const path of [paths.prompt, paths.inputs]) rmSync(path, { recursive: true, force: true })
      throw refuse('DISK', `its record cannot be written: ${(cause as Error).message}`, cause)
    }
    return nursery.conceive(record)
  })
}

function accepted(choice: ModelChoice, { task }: Admission): string | null {
  if ('refused' in choice) throw refuse('CHILD_MODEL', choice.refused)
  const tokens = Math.ceil(task.length / CHARS_PER_TOKEN)
  if (choice.window !== undefined && tokens > choice.window) {
    throw refuse('CHILD_PROMPT', `the task has ${task.length} characters, about ${tokens} tokens, and the window of ${choice.model} holds ${choice.window}. Hand the text over with inputs, or cut it with rlm.chunks.`)
  }
  return choice.model
}

function newRecord(family: Applicant, host: Host, wanted: Admission, model: ChildRecord['model'], agent: string): ChildRecord {
  const now = Date.now()
  const siblings = family.list(true)
  const id = newId(now, siblings.length)
  const paths = family.folder.paths(id)
  return {
    version: 1, id, name: freeName(wanted.name, siblings), task: plainText(detached(wanted.task.slice(0, TASK_PREVIEW * 4)), TASK_PREVIEW),
    status: 'queued', depth: family.settings.depth + 1, spawn_cell_id: wanted.cell, agent, model, owner: family.self,
    created_at: now, timeout_ms: wanted.timeoutMs ?? family.settings.timeoutMs, prompt_file: paths.prompt, output_file: paths.output,
  }
}

/** The same text on its own: the beginning of a string keeps the whole of it in memory, and a queue may hold hundreds. */
const detached = (text: string): string => Buffer.from(text, 'utf8').toString('utf8')

/** Moves the files a cell has written for the child beside its record. */
function takeInputs(inputs: readonly InputFile[], paths: ChildPaths): InputFile[] {
  if (inputs.length > 0) mkdirSync(paths.inputs, { mode: 0o700 })
  return inputs.map(input => {
    const path = join(paths.inputs, basename(input.path))
    try { renameSync(input.path, path) } catch {
      copyFileSync(input.path, path)
      rmSync(input.path, { force: true })
    }
    return { ...input, path }
  })
}

function inputsText(inputs: readonly InputFile[]): string {
  if (inputs.length === 0) return ''
  const lines = inputs.map(input => `- ${plainText(input.name, NAME_SHOWN)}: ${input.path} (${input.kind}, ${input.bytes} bytes)`)
  return `\n\nInput files; read what you need of them, they are not part of this message:\n${lines.join('\n')}\n`
}
