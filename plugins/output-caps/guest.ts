import path from 'node:path'
import type { Guest } from '../../guest/guest.ts'
import { type Caps, createMeter } from './guest/meter.ts'
import { type Keep, spillName, sweep } from './guest/sweep.ts'

/** Opens a meter for each cell; spill files stand beside the state, or without one in the folder that was named, or in one that goes with the engine. */
export default function outputCaps(guest: Guest, caps: Caps & { readonly keep: Keep }): void {
  const folder = guest.statePath !== null ? path.join(guest.statePath, 'output') : caps.folder === '' ? guest.scratchPath : caps.folder
  let isSwept = false
  const onFirst = (): void => {
    if (!isSwept) sweep(folder, caps.keep)
    isSwept = true
  }
  const place = { folder, maxBytes: caps.spillBytes, onFirst }
  guest.outputMeter((cell, max) => {
    const shape = max === null ? caps : { ...caps, stdout: max, stderr: max, result: max }
    return createMeter(spillName(cell.number), place, shape)
  })
}
