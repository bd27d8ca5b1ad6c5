import { parse } from 'meriyah'

/** Whether a text is the beginning of a cell: the parser came to its end and wanted more. */
export async function isIncomplete(text: string): Promise<boolean> {
  if (isJavaScript(text)) return false
  const { default: ts } = await import('typescript')
  const { TS, TSX } = ts.ScriptKind
  return wantsMore(ts, text, TS) && wantsMore(ts, text, TSX)
}

type TypeScript = typeof import('typescript')

/** Unterminated strings and regular expressions: they end with their line, so no further line mends them. */
const ENDS_WITH_ITS_LINE: readonly number[] = [1002, 1161]

function wantsMore(ts: TypeScript, text: string, script: TypeScript['ScriptKind']['TS'] | TypeScript['ScriptKind']['TSX']): boolean {
  const end = text.trimEnd().length
  const name = script === ts.ScriptKind.TSX ? 'cell.tsx' : 'cell.ts'
  const file = ts.createSourceFile(name, text, { languageVersion: ts.ScriptTarget.ESNext, setExternalModuleIndicator: source => { Object.assign(source, { externalModuleIndicator: true }) } }, false, script)
  const [first] = (file as unknown as { parseDiagnostics: readonly import('typescript').DiagnosticWithLocation[] }).parseDiagnostics
  if (first === undefined || ENDS_WITH_ITS_LINE.includes(first.code)) return false
  return first.start + first.length >= end
}

function isJavaScript(text: string): boolean {
  try {
    parse(text, { sourceType: 'module', next: true })
    return true
  } catch {
    return false
  }
}
