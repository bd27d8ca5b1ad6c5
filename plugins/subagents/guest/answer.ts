import { badCall, ChildError } from './errors.ts'
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
  const problemOf = schema === undefined ? undefined : await checkOf(schema)
  let value: unknown
  try { value = parseJson(unfenced(text)) } catch (cause) { throw wrong(what, `is not JSON (${(cause as Error).message})`, text, path) }
  const problem = problemOf?.(value)
  if (problem !== undefined) throw wrong(what, `does not fit the schema: ${problem}`, text, path)
  return value
}

/** Says what is wrong with a value; a schema that is none is refused before an answer is blamed. */
async function checkOf(schema: unknown): Promise<(value: unknown) => string | undefined> {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) throw badCall(`the schema is ${schema === null ? 'null' : Array.isArray(schema) ? 'a list' : typeof schema}; it must be a JSON schema such as { type: 'object' }`)
  const { Value } = await import('@sinclair/typebox/value')
  return value => {
    const [problem] = Value.Errors(schema as never, value)
    return problem && `${problem.instancePath || 'the value'} ${problem.message}`
  }
}

/** The one fenced block of an answer, or the answer as it is; of two blocks neither is meant more than the other. */
function unfenced(text: string): string {
  const plain = text.replace(/^\ufeff/, '')
  const fences = [...plain.matchAll(/^[^\S\n]*```[\w-]*[^\S\n]*\n([\s\S]*?)\n?[^\S\n]*```[^\S\n]*$/gm)]
  return fences.length === 1 ? fences[0]?.[1] ?? plain : plain
}

const wrong = (what: string, problem: string, text: string, path: string | undefined): ChildError =>
  new ChildError('BAD_ANSWER', 'BadAnswer', `${what} ${problem}. It begins: ${text.slice(0, SHOWN)}${text.length > SHOWN ? `… (${text.length} characters)` : ''}${path === undefined ? '' : `; the whole is in ${path}`}`)
