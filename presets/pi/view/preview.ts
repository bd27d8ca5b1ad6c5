import { clean } from './clean.ts'
import { redact } from './redact.ts'

/** A quoted text of a cell; without its end while the cell is still being written. */
const QUOTED = '(?<quote>[\'"`])(?<text>(?:\\\\.|(?!\\k<quote>)[^\\\\])*)'
const ACTS = [
  { pattern: /(?<![\w$])\$(?:\.\w+\([^)]*\))*`(?<text>(?:\\.|[^\\`])*)/gsu, name: () => '$' },
  { pattern: /\btools\.(?<tool>\w+)\s*\(\s*(?<args>[^]*?)(?=\)\s*(?:;|\n|,|\]|\)|$)|$)/gu, name: (tool: string) => tool === 'bash' ? '$' : tool },
  { pattern: /\brlm\.run\s*\(\s*(?<args>[^]*?)(?=\)\s*(?:;|\n|,|\]|\)|$)|$)/gu, name: () => 'delegate' },
]
/** The argument that says most, by name. */
const TELLING = ['command', 'path', 'task', 'pattern', 'query', 'url', 'name']

interface Act { readonly at: number; readonly text: string }

/** One line that says what a cell does: the command, the file, the task, else its first telling line. */
export function preview(code: string): string {
  const source = withoutComments(code)
  const acts = ACTS.flatMap(({ pattern, name }) => [...source.matchAll(pattern)].map(match => act(match, name))).sort((a, b) => a.at - b.at)
  const [first] = acts
  const text = first === undefined ? firstLine(source) : acts.length > 1 ? `${first.text}  +${acts.length - 1}` : first.text
  return redact(oneLine(clean(text)))
}

function act(match: RegExpExecArray, name: (tool: string) => string): Act {
  const { tool = '', args, text } = match.groups ?? {}
  return { at: match.index, text: `${name(tool)} ${text ?? argument(args ?? '')}` }
}

/** The telling argument of a call: `{ path: 'a.ts' }` says a.ts, a text that stands first says itself. */
function argument(args: string): string {
  const written = new RegExp(`^${QUOTED}`, 's').exec(args)?.groups?.['text']
  if (written !== undefined && written !== '') return written
  for (const key of TELLING) {
    const quoted = new RegExp(`\\b${key}\\s*:\\s*${QUOTED}`, 's').exec(args)
    if (quoted?.groups?.['text'] !== undefined) return quoted.groups['text']
    const named = new RegExp(`\\b${key}\\s*:\\s*(?<text>[\\w$.[\\]]+)`).exec(args)
    if (named?.groups?.['text'] !== undefined) return named.groups['text']
  }
  // Of what is not written out, the first argument alone.
  return /^[\w$.[\]]+(?=\s*,)/.exec(args)?.[0] ?? args
}

/** The first line that is neither an import nor a lone bracket. */
function firstLine(source: string): string {
  const lines = source.split('\n').map(line => line.trim()).filter(line => line !== '' && !/^['"]use strict['"];?$/.test(line))
  return lines.find(line => !/^import\b(?!\s*\()/.test(line) && /\w/.test(line)) ?? lines[0] ?? ''
}

/** Comments blanked; quotes are respected, or a URL would be cut. */
function withoutComments(code: string): string {
  return code.replace(/(?<kept>(['"`])(?:\\.|(?!\2)[^\\])*(?:\2|$))|\/\*[^]*?(?:\*\/|$)|\/\/[^\n]*/gsu, (all, ...rest: unknown[]) => (rest.at(-1) as { kept?: string }).kept === undefined ? ' ' : all)
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
