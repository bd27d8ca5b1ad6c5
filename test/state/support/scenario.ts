import { openNotebook, type OpenOptions } from './store.ts'

/** Saves small and large values, a forgotten name, a compaction. Tells each state that was reported as saved. */
export async function writeScenario(path: string, options: OpenOptions, reported: (state: Readonly<Record<string, unknown>>) => void, size = 17_000): Promise<void> {
  const book = openNotebook(path, options)
  const model: Record<string, unknown> = {}
  const put = (name: string, value: unknown): void => { book.set(name, value); model[name] = value }
  const save = async (): Promise<boolean> => {
    const wanted = structuredClone(model)
    try { await book.store.save() } catch { return false }
    reported(wanted)
    return true
  }
  try {
    await book.store.restore(null)
    for (const [name] of book.namespace.boxes) model[name] = book.get(name)
    put('step', Number(model['step'] ?? 0) + 1)
    put('list', [1, 2, { deep: true }])
    await save()
    put('large', `${String(model['step'])} `.repeat(size))
    await save()
    put('gone', 'for a while')
    await save()
    delete model['gone']
    book.namespace.forget('gone')
    put('last', model['step'])
    await save()
  } finally { book.store.close() }
}

/** The names and values of a state as a fresh process finds them; null when there is none. */
export async function readState(path: string, options: OpenOptions): Promise<Record<string, unknown> | null> {
  const book = openNotebook(path, options)
  try {
    const report = await book.store.restore(null)
    if (report === null) return null
    if (report.held.length + report.failed.length + report.lost.length > 0) throw new Error(`not whole: ${JSON.stringify(report)}`)
    return Object.fromEntries(book.namespace.names().map(name => [name, book.get(name)]))
  } finally { book.store.close() }
}
