import { createRequire } from 'node:module'
import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { EngineManager, type EngineOptions } from 'pi-rlm'
import { preset as onBun } from 'pi-rlm/presets/default'
import { preset as onNode } from 'pi-rlm/presets/node'

export type GuestName = 'bun' | 'node'

/** The program a guest of that name runs on. */
export const program = (guest: GuestName): string => guest === 'node' ? process.execPath : fileURLToPath(new URL('bin/bun.exe', `file://${createRequire(import.meta.url).resolve('bun/package.json')}`))

export const openEngine = (guest: GuestName, options: Partial<EngineOptions> = {}): EngineManager => new EngineManager({ preset: guest === 'bun' ? onBun : onNode, ...options })

export const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
export const percentile = (values: readonly number[], p: number): number => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * p))] ?? Number.NaN

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}

/** Both measured in turn, A B A B, after one round that does not count; the medians. */
export async function inTurn(rounds: number, value: () => Promise<number>, floor: () => Promise<number>): Promise<{ value: number; floor: number }> {
  await value()
  await floor()
  const values: number[] = []
  const floors: number[] = []
  for (let i = 0; i < rounds; i++) {
    values.push(await value())
    floors.push(await floor())
  }
  return { value: median(values), floor: median(floors) }
}

/** The floor: a small guest that loads the same builtins and answers a line with a line. */
export class Floor {
  readonly ready: Promise<void>
  readonly child: ChildProcess
  private waiting: (() => void)[] = []
  private rest = ''

  constructor(guest: GuestName, builtins: readonly string[], ...args: string[]) {
    const script = fileURLToPath(new URL('../../test/bench/floor/echo.cjs', import.meta.url))
    this.child = spawn(program(guest), [...guest === 'bun' ? ['--no-install', '--no-env-file', '--config=/dev/null'] : [], script, builtins.join(), ...args], { stdio: ['ignore', 'ignore', 'inherit', 'pipe'] })
    this.child.stdio[3]?.on('data', (chunk: Buffer) => { this.read(chunk) })
    this.child.stdio[3]?.on('error', () => {})
    this.ready = new Promise(resolve => { this.waiting.push(resolve) })
  }

  /** One line there and one back. */
  ask(line = '{"type":"ping","ask":1}'): Promise<void> {
    const answered = new Promise<void>(resolve => { this.waiting.push(resolve) });
    (this.child.stdio[3] as NodeJS.WritableStream).write(`${line}\n`)
    return answered
  }

  async end(): Promise<void> {
    const gone = new Promise(resolve => { this.child.on('exit', resolve) })
    this.child.kill('SIGKILL')
    await gone
  }

  private read(chunk: Buffer): void {
    const lines = (this.rest + chunk.toString('latin1')).split('\n')
    this.rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '') this.waiting.shift()?.()
  }
}
