import { type Io } from '../io.ts'
import { plain } from '../plain.ts'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 100
/** A cell that is quicker shows no spinner. */
const PATIENCE_MS = 300
const CLEAR_LINE = '\r\u001b[K'

/** What the user sees: output as it comes, and below it a spinner while a cell runs. */
export class Screen {
  private readonly stdout: Io['stdout']
  private readonly now: () => number
  private timer: NodeJS.Timeout | undefined
  private drawn = false
  private atLineStart = true

  constructor(stdout: Io['stdout'], now: () => number = () => performance.now()) {
    this.stdout = stdout
    this.now = now
  }

  /** Text of a cell; control characters in it are shown, not obeyed. */
  print(text: string): void {
    if (text === '') return
    this.wipe()
    this.stdout.write(plain(text))
    this.atLineStart = text.endsWith('\n')
  }

  /** A line of its own. */
  line(text: string): void {
    this.print(`${this.atLineStart ? '' : '\n'}${text}\n`)
  }

  /** The user pressed Enter: the cursor stands at the beginning of a line. */
  entered(): void { this.atLineStart = true }

  /** Shows that something runs and for how long, until `rest`. Without a terminal nothing is shown. */
  busy(what: string): void {
    if (!this.stdout.isTTY) return
    const since = this.now()
    this.timer = setInterval(() => {
      const elapsed = this.now() - since
      if (elapsed >= PATIENCE_MS && this.atLineStart) this.draw(`${FRAMES[Math.floor(elapsed / FRAME_MS) % FRAMES.length]} ${what} ${(elapsed / 1000).toFixed(1)} s`)
    }, FRAME_MS)
  }

  rest(): void {
    clearInterval(this.timer)
    this.wipe()
  }

  private draw(text: string): void {
    this.stdout.write(CLEAR_LINE + text.slice(0, Math.max(1, this.stdout.columns - 1)))
    this.drawn = true
  }

  private wipe(): void {
    if (this.drawn) this.stdout.write(CLEAR_LINE)
    this.drawn = false
  }
}
