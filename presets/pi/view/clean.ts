import { stripVTControlCharacters } from 'node:util'

const TAB = '    '
/** Marks that turn the reading direction: a line could show in another order than it runs. */
const DIRECTION = /[\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c]/gu

/** Text of a cell as it may stand on a terminal: no escape sequence, no control character, tabs as spaces. */
export function clean(text: string): string {
  const bare = hasControls(text) ? stripVTControlCharacters(text) : text
  return overwritten(bare.replaceAll('\r\n', '\n')).replaceAll('\t', TAB).replace(DIRECTION, '').replace(/[\p{Cc}\u2028\u2029]/gu, picture)
}

/** Text of a cell without escape sequences, for a model to read. */
export const withoutEscapes = (text: string): string => hasControls(text) ? stripVTControlCharacters(text) : text

const hasControls = (text: string): boolean => text.includes('\u001b') || text.includes('\u009b')

/** A progress bar writes its line again after each carriage return; what a terminal shows in the end is the last. */
function overwritten(text: string): string {
  if (!text.includes('\r')) return text
  return text.split('\n').map(line => line.split('\r').filter(part => part !== '').at(-1) ?? '').join('\n')
}

/** What is left of control characters, as their Unicode pictures. */
function picture(char: string): string {
  const code = char.charCodeAt(0)
  if (char === '\n') return char
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? '\u2421' : '\ufffd'
}
