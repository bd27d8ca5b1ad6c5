import { eastAsianWidth } from 'get-east-asian-width'

/** Stands for what was cut off. One column in every terminal, unlike an ellipsis. */
export const CUT = '⋯'

/**
 * Text that is as wide as it is measured: letters and signs of one or two certain columns stay, marks that combine are
 * dropped, pictures and whatever a terminal may draw in its own way become a plain sign.
 */
export function certain(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  return text.normalize('NFC').replace(/[\p{M}\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu, '').replace(/[\p{Extended_Pictographic}\p{Emoji_Presentation}\p{Regional_Indicator}]/gu, '*')
}

/** Columns of text that went through `certain`. */
export function columns(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let sum = 0
  for (const character of text) sum += eastAsianWidth(character.codePointAt(0) ?? 0)
  return sum
}

/** The beginning of a text that fits into some columns, with a mark when something is missing. */
export function fit(text: string, width: number): string {
  if (width <= 0) return ''
  if (columns(text) <= width) return text
  let taken = ''
  let used = 0
  for (const character of text) {
    const next = eastAsianWidth(character.codePointAt(0) ?? 0)
    if (used + next > width - 1) break
    taken += character
    used += next
  }
  return taken + CUT
}
