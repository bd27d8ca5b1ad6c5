import MagicString from 'magic-string'
import type { GuestHooks } from '../hooks.ts'
import type { Importer, ParsedCell, Transform } from '../guest.ts'
import type { Namespace } from '../namespace.ts'
import type { CellSource } from '../protocol.ts'
import { compileScript, wrapBody } from './compile.ts'
import { createModules } from './modules.ts'
import { parseCell } from './parse.ts'
import { rememberCell } from './positions.ts'
import { boxName } from './private-names.ts'
import { plainRef, writeRefs } from './refs.ts'
import { captureResult } from './result.ts'
import { createRuntime } from './runtime.ts'
import { analyseScope } from './scope.ts'
import { scopeObject } from './scope-object.ts'
import { readSource, splitMap } from './source.ts'
import { CellSyntaxError } from './syntax-error.ts'

export { describeStack } from './stack.ts'
export { cleanMessage } from './private-names.ts'

/** Turns cells into functions. `prepare` throws a SyntaxError in the cell's own coordinates when it cannot. */
export interface CellEngine { prepare(cell: CellSource): Promise<PreparedCell> }

/**
 * A cell ready to run. `run` runs the body as an async function over the namespace, synchronously up to its first
 * await, and answers its promise for the value of the trailing expression or of a top-level `return`.
 */
export interface PreparedCell { run(): Promise<unknown> }

/** Work to be done before a cell's text is shaped, such as loading a compiler; undefined when there is none. */
export type Preparation = (source: string) => Promise<unknown> | undefined

/** What the engine works with; the lists may still grow until the first cell. */
export interface CellEngineParts {
  readonly namespace: Namespace
  readonly hooks: Pick<GuestHooks, 'beforeTransform'>
  readonly transforms: readonly Transform[]
  readonly importers: readonly Importer[]
  readonly preparations?: readonly Preparation[]
  cwd(): string
  /** Runs the engine's own work with the globals it was made for. */
  readonly clean?: <T>(work: () => T) => T
}

/** Makes the engine and gives cells `require`. */
export function createCellEngine(parts: CellEngineParts): CellEngine {
  const { namespace, hooks, transforms, preparations = [], clean = work => work() } = parts
  const modules = createModules(parts)
  namespace.global('require', modules.require)
  return {
    async prepare(cell) {
      const source = clean(() => readSource(cell))
      for (let i = 0; i < preparations.length; i++) {
        const work = clean(() => preparations[i]?.(source))
        if (work) await work
      }
      return clean(() => {
        const { text, map } = splitMap(hooks.beforeTransform.call(source, { id: cell.id, number: cell.number }))
        return compile(parse(cell, text, map), map, text)
      })
    },
  }

  function parse(cell: CellSource, text: string, map: string | undefined): ParsedCell {
    const { code, tree } = parseCell(text)
    const original = map === undefined ? undefined : originalOf(map)
    const scope = analyseScope(tree, code, name => original !== undefined && !original.includes(name))
    for (const name of scope.declared.keys()) {
      if (namespace.boxes.get(name)?.owned) throw new CellSyntaxError(`'${name}' is taken: it belongs to the notebook. Choose another name.`, code, code.indexOf(name), name.length)
    }
    const parsed: ParsedCell = {
      id: cell.id, number: cell.number, text: code, tree, scope, edits: new MagicString(code), boxes: new Set(), resolved: false,
      ref: plainRef, atEnd: task => tasks.push(task),
    }
    const tasks: (() => void)[] = []
    for (const transform of transforms) transform.apply(parsed)
    for (const task of tasks) task()
    writeRefs(parsed, namespace, captureResult(parsed))
    return parsed
  }

  function compile({ number, edits, boxes, resolved, scope: { callsEval, declared, written, strict }, text }: ParsedCell, map: string | undefined, given: string): PreparedCell {
    const scope = scopeObject(namespace, strict ? name => declared.has(name) : name => declared.has(name) || written.has(name))
    const runtime = createRuntime({ namespace, modules, scope })
    const scoped = callsEval || !resolved
    const names = [...boxes]
    const { code, before } = wrapBody(edits.toString(), names, scoped)
    rememberCell(number, { before, shift: text.length > given.length ? 1 : 0, edits, map })
    const compiled = compileScript(code, `cell ${number}`)
    const open = (scoped ? compiled(scope) : compiled) as (...given: unknown[]) => () => Promise<unknown>
    const body = open(runtime, ...names.map(name => namespace.box(name)))
    // The body's own promise: an `await` here would ask its constructor, which a cell can replace.
    return { run: () => body() }
  }
}

function originalOf(map: string): string {
  return (JSON.parse(map) as { sourcesContent?: string[] }).sourcesContent?.[0] ?? ''
}

export { boxName }
