import path from 'node:path'
import type { Guest } from '../../guest/guest.ts'
import { type Caps, createMeter } from './guest/meter.ts'

/** Opens a meter for each cell; spill files stand beside the state, or without one in the folder that was named, or in one that goes with the engine. */
export default function outputCaps(guest: Guest, caps: Caps): void {
  const folder = guest.statePath !== null ? path.join(guest.statePath, 'output') : caps.folder === '' ? guest.scratchPath : caps.folder
  const place = { folder, maxBytes: caps.spillBytes }
  guest.outputMeter((cell, max) => {
    const shape = max === null ? caps : { ...caps, stdout: max, stderr: max, result: max }
    return createMeter(`cell-${cell.number}-${process.pid}`, place, shape)
  })
}
