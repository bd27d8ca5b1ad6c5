/** Refuses what no command can be built from, by the number the author would count; answers the values as given. */
export function checkValues(strings: TemplateStringsArray, values: readonly unknown[]): readonly unknown[] {
  for (const [index, value] of values.entries()) {
    const problem = problemOf(value)
    if (problem !== null) throw new TypeError(`interpolation ${index + 1} of the command, after '${before(strings, index)}', ${problem}`)
  }
  return values
}

/** Bytes and bodies: data for a redirection, never an argument. */
export function isData(value: unknown): boolean {
  // Objects only: on node the mere mention of Response loads its whole module.
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof SharedArrayBuffer || value instanceof Blob
    || value instanceof Response || value instanceof ReadableStream
}

/** `{ raw }` is inserted as it is, without quotes. */
export const isRaw = (value: unknown): value is { readonly raw: string } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && typeof (value as { raw?: unknown }).raw === 'string'

function problemOf(value: unknown): string | null {
  if (value === undefined || value === null) return `is ${value}: give it a value, or '' for an empty argument`
  if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) {
      const problem = problemOf(element)
      if (problem !== null) return `has an element ${index + 1} that ${problem}`
    }
    return null
  }
  if (isRaw(value) || isData(value)) return null
  if (typeof value === 'symbol' || typeof value === 'function') return `is a ${typeof value}, which has no text for a command`
  const text = asText(value)
  if (text.startsWith('[object ')) return `is an object without a text of its own (${text}): pass a string, an array of strings, or JSON.stringify(…)`
  return text.includes('\0') ? 'contains a NUL character, which no argument can hold' : null
}

function before(strings: TemplateStringsArray, index: number): string {
  const text = (strings.raw[index] ?? '').trimStart()
  return text.length > 40 ? `…${text.slice(-40)}` : text
}

/** A value that `checkValues` let through, as the text of an argument. */
export const asText = (value: unknown): string => String(value as { toString(): string })
