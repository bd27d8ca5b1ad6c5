import { parse } from 'meriyah'

type TypeScript = typeof import('typescript')
type Reading = 'whole' | 'wants more' | 'wrong'

/** Whether a text is the beginning of a cell: the parser came to its end and wanted more. */
export async function isIncomplete(text: string): Promise<boolean> {
  if (isJavaScript(text)) return false
  const { default: ts } = await import('typescript')
  const readings = [read(ts, text, 'cell.ts'), read(ts, text, 'cell.tsx')]
  return !readings.includes('whole') && readings.includes('wants more')
}

/** Comments, templates and elements without an end: their errors stand where they begin. */
const OPEN_ENDED: readonly number[] = [1010, 1160, 17008, 17014]
/** Strings and regular expressions without an end: they end with their line, so no further line mends them. */
const ENDS_WITH_ITS_LINE: readonly number[] = [1002, 1161]

function read(ts: TypeScript, text: string, name: string): Reading {
  const options = { languageVersion: ts.ScriptTarget.ESNext, setExternalModuleIndicator: (file: object) => { Object.assign(file, { externalModuleIndicator: true }) } }
  const file = ts.createSourceFile(name, text, options, false)
  const [first] = (file as unknown as { parseDiagnostics: readonly import('typescript').DiagnosticWithLocation[] }).parseDiagnostics
  if (first === undefined) return 'whole'
  if (OPEN_ENDED.includes(first.code)) return 'wants more'
  return first.start >= text.trimEnd().length && !ENDS_WITH_ITS_LINE.includes(first.code) ? 'wants more' : 'wrong'
}

function isJavaScript(text: string): boolean {
  try {
    parse(text, { sourceType: 'module', next: true })
    return true
  } catch {
    return false
  }
}
