const { apply } = Reflect
const { slice, charCodeAt } = String.prototype

/** The first `max` characters, one less when the cut would split a surrogate pair. */
export function clipStart(text: string, max: number): string {
  if (text.length <= max) return text
  const unit = apply(charCodeAt, text, [max - 1]) as number
  return apply(slice, text, [0, max > 0 && unit >= 0xd800 && unit < 0xdc00 ? max - 1 : max]) as string
}

/** The last `max` characters, one less when the cut would split a surrogate pair. */
export function clipEnd(text: string, max: number): string {
  if (text.length <= max) return text
  const from = text.length - max
  const unit = apply(charCodeAt, text, [from]) as number
  return apply(slice, text, [unit >= 0xdc00 && unit < 0xe000 ? from + 1 : from]) as string
}
