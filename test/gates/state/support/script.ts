import type { Line } from './inside.ts'

const tell = (line: Line): void => { process.stdout.write(`${JSON.stringify(line)}\n`) }

/** The other half of `inside`: rounds of a script, each told, and their figures added up. */
export async function rounds<Args>(work: (args: Args, round: () => void) => Promise<Readonly<Record<string, number>>>): Promise<void> {
  try {
    const figures = await work(JSON.parse(process.argv[2] ?? '{}') as Args, () => { tell({ type: 'round' }) })
    tell({ type: 'done', figures })
  } catch (error) {
    const texts: string[] = []
    for (let at: unknown = error; at instanceof Error; at = at.cause) texts.push(at.stack ?? at.message)
    tell({ type: 'failed', message: texts.join('\ncaused by ') || String(error) })
  }
  // A program may have left timers behind.
  process.exit()
}
