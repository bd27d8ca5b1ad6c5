/** Longest reason that is passed on, in characters. */
const REASON_CAP = 64 << 10

/** A property of anything; undefined when reading it throws. */
export function field(value: unknown, key: string): unknown {
  try { return (value as Readonly<Record<string, unknown>> | null | undefined)?.[key] } catch { return undefined }
}

/** What was thrown, as text. Any value can be thrown, and one that breaks when it is looked at must break nothing else. */
export function reasonOf(thrown: unknown): string {
  const message = field(thrown, 'message')
  if (typeof message === 'string' && message !== '') return message.slice(0, REASON_CAP)
  try { return String(thrown).slice(0, REASON_CAP) } catch { return 'a value was thrown that cannot be shown' }
}
