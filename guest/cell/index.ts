import type { Globals } from '../globals.ts'
import type { GuestHooks } from '../hooks.ts'
import type { Importer, ParsedCell, Transform } from '../guest.ts'
import type { Box, Namespace } from '../namespace.ts'
import type { CellSource } from '../protocol.ts'
import { countCell } from './collect.ts'
import { compileScript, wrapBody } from './compile.ts'
import { explainWith, noteShellNames } from './explain.ts'
import { createModules, type Modules } from './modules.ts'
import { isLiteral } from './literal.ts'
import { originalOffset } from './mapped.ts'
import { parseCell } from './parse.ts'
import { rememberCell } from './positions.ts'
import { keepOwnStacks } from './own-stacks.ts'
import { rewrite } from './rewrite.ts'
import { CellRuntime } from './runtime.ts'
import { analyseScope } from './scope.ts'
import { scopeObject } from './scope-object.ts'
import { type Mapped, readSource, splitMap } from './source.ts'
import { cellFile } from './stack.ts'
import { CellSyntaxError } from './syntax-error.ts'

export { describeStack } from './stack.ts'

/** Turns cells into functions. `prepare` throws a SyntaxError in the cell's own coordinates when it cannot. */
export interface CellEngine {
  prepare(cell: CellSource): Promise<PreparedCell>
  /** Modules as cells load them. */
  readonly modules: Pick<Modules, 'import' | 'check'>
}

/**
 * A cell ready to run. `run` runs the body as an async function over the namespace, synchronously up to its first
 * await, and answers its promise for the value of the trailing expression or of a top-level `return`.
 */
export interface PreparedCell {
  run(): Promise<unknown>
  /** Made of literals and operators alone: no code of anyone runs. */
  readonly literal: boolean
}

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
  /** Told of each module that a cell imported, as `createModules` says. */
  readonly imported?: (space: unknown, specifier: string, attributes: Readonly<Record<string, string>> | undefined) => void
  readonly required?: (value: unknown, specifier: string) => void
  /** Runs the engine's own work with the globals it was made for. */
  readonly globals?: Pick<Globals, 'clean' | 'hold'>
}

const UNTOUCHED: Pick<Globals, 'clean' | 'hold'> = { clean: work => work(), hold: work => work() }

/** Makes the engine and gives cells `require`. */
export function createCellEngine(parts: CellEngineParts): CellEngine {
  const { namespace, hooks, transforms, preparations = [], globals: { clean, hold } = UNTOUCHED } = parts
  const modules = createModules(parts)
  namespace.global('require', modules.require)
  explainWith(namespace)

  const read = (cell: CellSource, mapped: Mapped): ParsedCell => {
    const { code, tree } = parseCell(mapped.text)
    const scope = analyseScope(tree, code, mapped.isLocal)
    refuseOwned(namespace, scope.declared.keys(), code)
    noteShellNames(scope.shellNames)
    return rewrite({ cell, code, tree, scope, transforms, namespace })
  }

  const compile = (parsed: ParsedCell, mapped: Mapped, source: string): PreparedCell => {
    const { number, text, tree, edits, boxes, resolved, scope: { callsEval, declared, written, numbers, strict } } = parsed
    const scope = scopeObject(namespace, strict ? name => declared.has(name) : name => declared.has(name) || written.has(name))
    const scoped = callsEval || !resolved
    const names = [...boxes]
    const edited = edits.apply()
    const { code, before } = wrapBody(edited.code, names, scoped)
    rememberCell(number, { before, shift: text.length > mapped.text.length ? 1 : 0, edited, text: mapped.text, map: mapped.map, source })
    const compiled = compileScript(code, cellFile(number))
    const open = (scoped ? compiled(scope) : compiled) as (...given: unknown[]) => () => Promise<unknown>
    const body = open(new CellRuntime({ namespace, modules, scope }), ...names.map(name => named(namespace.box(name, numbers.has(name)))))
    // The body's own promise: an `await` here would ask its constructor, which a cell can replace.
    return { run: () => body(), literal: isLiteral(tree) }
  }

  return {
    modules,
    async prepare(cell) {
      keepOwnStacks()
      countCell()
      const source = clean(() => readSource(cell))
      let mapped: Mapped | undefined
      try {
        for (let i = 0; i < preparations.length; i++) {
          const work = clean(() => preparations[i]?.(source))
          if (work) await hold(() => work)
        }
        return clean(() => {
          mapped = splitMap(hooks.beforeTransform.call(source, { id: cell.id, number: cell.number }), source)
          return compile(read(cell, mapped), mapped, source)
        })
      } catch (error) {
        throw clean(() => placed(error, cell.number, source, mapped))
      }
    },
  }
}

/** A name that a cell has in its text counts as used. */
function named(box: Box): Box {
  box.named()
  return box
}

/** An owned name stays what it is: a cell that declares one is refused before anything of it runs. */
function refuseOwned(namespace: Namespace, declared: Iterable<string>, code: string): void {
  for (const name of declared) {
    if (namespace.boxes.get(name)?.owned !== true) continue
    throw new CellSyntaxError(`'${name}' is taken: it belongs to the notebook. Choose another name`, code, code.search(new RegExp(`\\b${name}\\b`)), name.length)
  }
}

/** A syntax error in the coordinates of the text the cell was sent as. */
function placed(error: unknown, number: number, source: string, mapped: Mapped | undefined): unknown {
  if (!(error instanceof CellSyntaxError)) return error
  const own = mapped?.map === undefined ? error : error.at(source, originalOffset(mapped.map, source, error))
  own.cell = number
  return own
}
