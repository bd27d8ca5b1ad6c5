import type { CellResult, EngineManager } from '../../kernel/index.ts'
import { EXPECTED, LATER, linesOf, START } from './late-sources.ts'

/** What one round of late sources gave. */
export interface LateRound {
  /** The cells that ran beside the sources, and those that waited for the rest. */
  readonly others: readonly CellResult[]
  /** Lines of the sources that arrived under their own cell's id, during it or late; sorted. */
  readonly own: readonly string[]
  /** Everything that arrived under that id. */
  readonly text: string
}

const WAITING = 'await new Promise(resolve => setTimeout(resolve, 100))'
const MOST_WAITS = 100

/** Starts every late source in one cell and runs others until all have spoken, or it is clear that they will not. */
export async function lateRound(engine: EngineManager, id: string): Promise<LateRound> {
  const first = await engine.execute(START, { cellId: id })
  if (first.status !== 'ok') throw new Error(`the sources did not start: ${first.error?.message}`)
  let text = first.stdout + first.stderr
  const others: CellResult[] = []
  const run = async (cell: string): Promise<void> => {
    const result = await engine.execute(cell)
    others.push(result)
    text += result.late.filter(({ cell: of }) => of === id).map(late => late.text).join('')
  }
  for (const cell of LATER) await run(cell)
  for (let waits = 0; linesOf(text).length < EXPECTED.length && waits < MOST_WAITS; waits++) await run(WAITING)
  await run('worker.terminate(); server.close(); channel.port1.close(); 1')
  return { others, own: linesOf(text), text }
}
