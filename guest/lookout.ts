const { setTimeout, clearTimeout } = globalThis

const FIRST_MS = 250
const LAST_MS = 8_000

/**
 * Looks, ever less often, while no cell runs: a timer of a cell may write a name, and nothing tells of a write to an open box.
 * A save looks by itself; this is for the news that there is something to be saved.
 */
export class Lookout {
  private readonly look: () => void
  private timer: ReturnType<typeof setTimeout> | null = null

  constructor(look: () => void) { this.look = look }

  start(ms = FIRST_MS): void {
    this.stop()
    this.timer = setTimeout(() => {
      this.start(ms * 2 > LAST_MS ? LAST_MS : ms * 2)
      this.look()
    }, ms)
    this.timer.unref()
  }

  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer)
    this.timer = null
  }
}
