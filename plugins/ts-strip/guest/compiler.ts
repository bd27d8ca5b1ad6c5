import { blankSourceFile } from 'ts-blank-space'
import ts from 'typescript'
import { inParentheses, opensObject } from '../../../guest/cell/parse.ts'
import { CellSyntaxError } from '../../../guest/cell/syntax-error.ts'
import { lower } from './lower.ts'
import { needsLowering } from './plain.ts'

export interface Compiler { toJavaScript(source: string): string }

/** Blanks types in place; what needs code in their stead is compiled, with a source map at the end of the text. */
export function toJavaScript(source: string): string {
  const file = readFile(source)
  if (file.script === ts.ScriptKind.TSX) return lower(source, file.script)
  let blankable = true
  const blanked = blankSourceFile(file.tree, () => { blankable = false })
  const text = file.wrapped ? blanked.slice(1, -2) : blanked
  return blankable && !needsLowering(text) ? text : lower(file.wrapped ? inParentheses(source) : source, file.script)
}

interface Read { readonly tree: ts.SourceFile; readonly script: ts.ScriptKind; readonly wrapped: boolean }

/** TypeScript first; as TSX or as an object literal only when that fails. */
function readFile(source: string): Read {
  const { TS, TSX } = ts.ScriptKind
  const first = parse(source, TS)
  const [problem] = diagnostics(first)
  if (problem === undefined) return { tree: first, script: TS, wrapped: false }
  if (opensObject(source)) {
    const tree = parse(inParentheses(source), TS)
    if (diagnostics(tree).length === 0) return { tree, script: TS, wrapped: true }
  }
  if (source.includes('<')) {
    const tree = parse(source, TSX)
    if (diagnostics(tree).length === 0) return { tree, script: TSX, wrapped: false }
  }
  throw new CellSyntaxError(ts.flattenDiagnosticMessageText(problem.messageText, ' '), source, problem.start, problem.length)
}

const OPTIONS: ts.CreateSourceFileOptions = {
  languageVersion: ts.ScriptTarget.ESNext,
  impliedNodeFormat: ts.ModuleKind.ESNext,
  jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
  // A cell is a module: `await` is a keyword in it even when it imports and exports nothing.
  setExternalModuleIndicator: file => { (file as { externalModuleIndicator?: unknown }).externalModuleIndicator = true },
}

const parse = (source: string, script: ts.ScriptKind): ts.SourceFile =>
  ts.createSourceFile(script === ts.ScriptKind.TSX ? 'cell.tsx' : 'cell.ts', source, OPTIONS, false, script)

const diagnostics = (file: ts.SourceFile): readonly ts.DiagnosticWithLocation[] =>
  (file as unknown as { parseDiagnostics: readonly ts.DiagnosticWithLocation[] }).parseDiagnostics
