/** One figure beside its floor, both measured in turn in one run. */
export interface Row {
  readonly name: string
  readonly guest: 'bun' | 'node'
  /** The engine's figure and the floor's, in `unit`. */
  readonly value: number
  readonly floor: number
  readonly unit: 'ms' | 'us' | 'MB'
  /** The largest ratio that is good enough; absent where none is set. */
  readonly bar?: number
  /** Anything else worth knowing, such as a p99. */
  readonly note?: string
}

/** A group of figures for one guest. Files in this folder named `*.bench.ts` export a list of them as default. */
export interface Bench { readonly name: string; readonly run: (guest: 'bun' | 'node') => Promise<readonly Row[]> }
