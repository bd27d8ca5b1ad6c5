const REST_OF_FILE = /\n\n\[\d+ more lines in file\. Use offset=(\d+) to continue\.\]$/

interface Truncation { readonly truncated?: boolean; readonly content?: string }

/** A read's text without the reader's notices: what stands in the file. */
export function rawText(args: object, text: string, details: unknown): string {
  const truncation = (details as { truncation?: Truncation } | null | undefined)?.truncation
  if (truncation?.truncated === true) return truncation.content ?? text
  const { offset = 1, limit } = args as { offset?: number; limit?: number }
  const rest = REST_OF_FILE.exec(text)
  // Only where the numbers agree: a file may end in words like these.
  return rest !== null && limit !== undefined && Number(rest[1]) === Math.max(offset, 1) + limit ? text.slice(0, rest.index) : text
}
