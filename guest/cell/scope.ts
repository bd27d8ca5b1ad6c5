import type { ESTree } from 'meriyah'
import type { NameUse } from '../guest.ts'
import type { BindingKind } from './declared.ts'
import { Walker } from './walk/index.ts'

/** An identifier that no local scope of the cell binds: a name of the notebook, or of the platform. */
export interface NameRef {
  readonly name: string
  /** The text to replace; for `typeof` the whole expression. */
  readonly start: number
  readonly end: number
  readonly use: NameUse
  /** It is what `new` constructs. */
  readonly constructed: boolean
  /** It is the first token of a statement in a list: text put here may join the line before it. */
  readonly leads: boolean
}

/** A function or class without a name that takes the name of what it is assigned to. */
export interface UnnamedValue { readonly name: string; readonly start: number; readonly end: number }

/** A function declaration of the cell's top level: bound before the first statement runs. */
export interface TopFunction {
  readonly node: ESTree.FunctionDeclaration
  readonly name: string
  /** It assigns its own name, so that inside it the name is the notebook's. */
  readonly rebindsItself: boolean
}

/** What a catch clause binds: a name, or a pattern when there is none; `start` is where the block that sees it begins. */
export interface Caught { readonly name: string | undefined; readonly from: number; readonly to: number; readonly start: number }

/** An expression for a function that a promise will hand what it was rejected with. */
export interface Handler { readonly start: number; readonly end: number }

/** What a cell's names mean. Positions are offsets into the cell's text. */
export interface ScopeAnalysis {
  /** Names the cell declares at its top level, with the kind of the last declaration. */
  readonly declared: ReadonlyMap<string, BindingKind>
  /** Every use of a name that is not local, in no particular order. */
  readonly refs: readonly NameRef[]
  /** Names that are assigned somewhere in the cell and not local. */
  readonly written: ReadonlySet<string>
  /** Names that are counted with, by their first value as it is written or by an operator. */
  readonly numbers: ReadonlySet<string>
  readonly unnamed: readonly UnnamedValue[]
  readonly functions: readonly TopFunction[]
  readonly classes: readonly ESTree.ClassDeclaration[]
  /** Each declaration that binds notebook names: at the top level, or a `var` in a nested block. */
  readonly declarations: readonly TopDeclaration[]
  /** `import(` and `import.meta`, to be answered by the notebook. */
  readonly imports: readonly ESTree.ImportExpression[]
  readonly metas: readonly ESTree.MetaProperty[]
  /** Catch clauses that bind what they caught. */
  readonly catches: readonly Caught[]
  readonly handlers: readonly Handler[]
  /** Offsets of `<!--` made of operators, which a script would read as a comment. */
  readonly htmlOpens: readonly number[]
  /** Names put into shell commands, as `${NAME}` in a template of `$`. */
  readonly shellNames: readonly string[]
  /** The cell calls `eval` directly: its names must be found by name while it runs. */
  readonly callsEval: boolean
  /** The cell begins with 'use strict': a write to an unknown name is an error. */
  readonly strict: boolean
}

/** A variable declaration to be turned into assignments; `place` says what may stand around it. */
export interface TopDeclaration {
  readonly node: ESTree.VariableDeclaration
  readonly place: 'list' | 'body' | 'for' | 'each'
}

/** Resolves every identifier of a cell. Names for which `isPrivate` answers true stay local to the cell. */
export function analyseScope(tree: ESTree.Program, text: string, isPrivate: (name: string) => boolean = () => false): ScopeAnalysis {
  return new Walker(text, isPrivate).run(tree)
}
