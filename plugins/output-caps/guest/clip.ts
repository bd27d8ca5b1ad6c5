/** The first `max` characters, one less when the cut would split a surrogate pair. */
export function clipStart(text: string, max: number): string {
  if (text.length <= max) return text
  const unit = text.charCodeAt(max - 1)
  return text.slice(0, max > 0 && unit >= 0xd800 && unit < 0xdc00 ? max - 1 : max)
}

/** The last `max` characters, one less when the cut would split a surrogate pair. */
export function clipEnd(text: string, max: number): string {
  if (text.length <= max) return text
  const from = text.length - max
  const unit = text.charCodeAt(from)
  return text.slice(unit >= 0xdc00 && unit < 0xe000 ? from + 1 : from)
}
