import ts from 'typescript'
import { CellSyntaxError } from '../../../guest/cell/syntax-error.ts'
import { engineHasUsing } from './plain.ts'

/** Compiles TypeScript that cannot be blanked; the answer ends in an inline source map with the source in it. */
export function lower(source: string, script: ts.ScriptKind): string {
  const { outputText, diagnostics = [] } = ts.transpileModule(source, {
    fileName: script === ts.ScriptKind.TSX ? 'cell.tsx' : 'cell.ts',
    compilerOptions: {
      // The newest target that still lowers decorators, accessors and, where asked for, `using`.
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.Preserve,
      moduleDetection: ts.ModuleDetectionKind.Force,
      verbatimModuleSyntax: true,
      useDefineForClassFields: true,
      jsx: ts.JsxEmit.React,
      ...fragmentFactory(source),
      inlineSourceMap: true,
      inlineSources: true,
    },
    transformers: { before: [refuseExportEquals, returnResult], after: [freshEnums] },
    reportDiagnostics: true,
  })
  const [problem] = diagnostics
  if (problem?.start !== undefined) throw new CellSyntaxError(ts.flattenDiagnosticMessageText(problem.messageText, ' '), source, problem.start, problem.length)
  return withLocals(outputText, topResources(source, script))
}

/** TypeScript reads one pragma a comment; others take both from one. */
function fragmentFactory(source: string): ts.CompilerOptions {
  const name = /@jsxFrag\s+([\w$.]+)/.exec(source)?.[1]
  return name === undefined ? {} : { jsxFragmentFactory: name }
}

/** `export =` is of CommonJS, and a cell is a module. */
const refuseExportEquals: ts.TransformerFactory<ts.SourceFile> = () => file => {
  const found = file.statements.find(each => ts.isExportAssignment(each) && each.isExportEquals === true)
  if (found === undefined) return file
  const start = found.getStart(file)
  throw new CellSyntaxError('A cell is a module, which has no `export =`: write `export default`', file.text, start, found.end - start)
}

/** Names in the map that stay local to the cell: a resource of the cell is gone when the cell is over. */
function withLocals(output: string, names: readonly string[]): string {
  if (names.length === 0) return output
  return output.replace(/(;base64,)([\w+/=]+)\s*$/, (_, before: string, encoded: string) => {
    const map = JSON.parse(Buffer.from(encoded, 'base64').toString()) as object
    return before + Buffer.from(JSON.stringify({ ...map, x_local_names: names })).toString('base64')
  })
}

function topResources(source: string, script: ts.ScriptKind): string[] {
  if (engineHasUsing() || !source.includes('using')) return []
  const file = ts.createSourceFile('cell.ts', source, ts.ScriptTarget.ESNext, false, script)
  return file.statements.filter(isUsing).flatMap(statement => ts.isVariableStatement(statement) ? statement.declarationList.declarations.map(({ name }) => name.getText(file)) : [])
}

/** Lowered `using` puts what follows it in a block; a result there has to be returned. */
const returnResult: ts.TransformerFactory<ts.SourceFile> = ({ factory }) => file => {
  const { statements } = file
  if (engineHasUsing() || !statements.some(isUsing)) return file
  const last = statements.at(-1)
  if (last === undefined || !ts.isExpressionStatement(last)) return file
  const result = ts.setTextRange(factory.createReturnStatement(last.expression), last)
  return factory.updateSourceFile(file, [...statements.slice(0, -1), result])
}

const isUsing = (statement: ts.Statement): boolean =>
  ts.isVariableStatement(statement) && (statement.declarationList.flags & ts.NodeFlags.Using) !== 0

/** An enum or namespace of a cell starts anew: as a `var` it would add to what an earlier cell left. */
const freshEnums: ts.TransformerFactory<ts.SourceFile> = ({ factory }) => file => {
  const fresh = (statement: ts.Statement): ts.Statement => {
    const original = ts.getOriginalNode(statement)
    if (!ts.isVariableStatement(statement) || !(ts.isEnumDeclaration(original) || ts.isModuleDeclaration(original))) return statement
    const list = factory.createVariableDeclarationList(statement.declarationList.declarations, ts.NodeFlags.Let)
    return factory.updateVariableStatement(statement, statement.modifiers, list)
  }
  return factory.updateSourceFile(file, file.statements.map(fresh))
}
