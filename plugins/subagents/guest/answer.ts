import { ChildError } from './errors.ts'
import { parseJson, readBytes } from './kept.ts'

/** The whole answer of a child. */
export async function answerText(path: string, name: string): Promise<string> {
  try { return (await readBytes(path)).toString('utf8') } catch (cause) {
    throw new ChildError('ANSWER_GONE', 'AnswerGone', `the answer of child '${name}' cannot be read from ${path}: ${(cause as Error).message}`)
  }
}

const SHOWN = 200

/** Reads an answer as JSON, also when the model has put it in a code fence, and checks it against a JSON schema. */
export async function asJson(text: string, schema: unknown, what: string, path?: string): Promise<unknown> {
  let value: unknown
  try { value = parseJson(unfenced(text)) } catch (cause) { throw wrong(what, `is not JSON (${(cause as Error).message})`, text, path) }
  if (schema === undefined) return value
  const { Value } = await import('@sinclair/typebox/value')
  const [problem] = Value.Errors(schema as never, value)
  if (problem !== undefined) throw wrong(what, `does not fit the schema: ${problem.instancePath || 'the value'} ${problem.message}`, text, path)
  return value
}

function unfenced(text: string): string {
  const fence = /^\s*```[\w-]*[^\S\n]*\n([\s\S]*?)\n?```\s*$/.exec(text)
  return fence?.[1] ?? text
}

const wrong = (what: string, problem: string, text: string, path: string | undefined): ChildError =>
  new ChildError('BAD_ANSWER', 'BadAnswer', `${what} ${problem}. It begins: ${text.slice(0, SHOWN)}${text.length > SHOWN ? `… (${text.length} characters)` : ''}${path === undefined ? '' : `; the whole is in ${path}`}`)
