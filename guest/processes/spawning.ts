import { type CellContext, currentCell } from '../context.ts'
import { CELL_MARK, type Channel } from '../protocol.ts'
import { Children } from './children.ts'
import { type Sink, openSink } from './sink.ts'
import { type Spool, openSpool } from './spool.ts'
import { claimStdio } from './stdio.ts'

export interface ProcessParts {
  /** Random mark of this engine. */
  readonly tag: string
  /** Counts characters of children that no cell can be named for. */
  unattributed(chars: number): void
}

type Env = Readonly<Record<string, string | undefined>>

/** What every way of starting a process has in common. */
export class Spawning {
  readonly children = new Children()
  private readonly parts: ProcessParts

  constructor(parts: ProcessParts) {
    this.parts = parts
    // For what starts past the wrappers, such as a worker that shares the environment: the engine's mark, if no cell's.
    process.env[CELL_MARK] = this.mark(undefined)
  }

  /** The cell that starts a process now. A cancelled cell starts none. */
  starter(): CellContext | undefined {
    const cell = currentCell()
    if (cell?.state === 'aborted') throw new Error(`cell ${cell.number} was cancelled: it can no longer start a process`)
    return cell
  }

  mark(cell: CellContext | undefined): string { return `${this.parts.tag}:${cell?.number ?? 0}` }

  /** The environment of a child: the given one, else the live one, with the mark. */
  env(cell: CellContext | undefined, given: Env | null | undefined): Record<string, string | undefined> {
    return { ...given ?? process.env, [CELL_MARK]: this.mark(cell) }
  }

  sink(cell: CellContext | undefined, channel: Channel): Sink { return openSink(cell, channel, this.parts.unattributed) }

  /** Runs a child the guest waits for; its inherited output goes to files and is printed when it ends. */
  wait<T>(cell: CellContext | undefined, stdio: readonly unknown[], run: (slots: readonly unknown[]) => T): T {
    const spools = new Map<Channel, Spool>()
    const { slots } = claimStdio(stdio, channel => {
      const spool = spools.get(channel) ?? openSpool()
      spools.set(channel, spool)
      return spool.fd
    })
    try {
      return run(slots)
    } finally {
      for (const [channel, spool] of spools) spool.empty(this.sink(cell, channel))
    }
  }
}
