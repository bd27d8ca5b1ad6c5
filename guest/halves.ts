import type { Preparation } from './cell/index.ts'
import { bundledHalves } from './bundled-halves.ts'
import { currentCell, runInCell } from './context.ts'
import { describeThrown } from './describe/thrown.ts'
import type { Guest, GuestHalf, Importer, OutputMeter, Serializer, StateLimits, Transform } from './guest.ts'
import type { Bridge, Handles } from './handles.ts'
import type { Namespace } from './namespace.ts'
import type { Boot, CellRef, HalfRef } from './protocol.ts'

/** What the halves have put in, in the preset's order. */
export interface Parts {
  readonly transforms: Transform[]
  readonly serializers: Serializer[]
  readonly importers: Importer[]
  readonly preparations: Preparation[]
  readonly beforeCell: ((cell: CellRef) => void)[]
  openMeter: ((cell: CellRef, maxChars: number | null) => OutputMeter) | null
  limits: StateLimits | undefined
}

export const noParts = (): Parts => ({ transforms: [], serializers: [], importers: [], preparations: [], beforeCell: [], openMeter: null, limits: undefined })

export interface HalfSurroundings extends Pick<Guest, 'hooks' | 'notice' | 'resetGlobals' | 'clean'> {
  readonly namespace: Namespace
  readonly bridge: Bridge
  readonly handles: Handles
  readonly parts: Parts
}

/** Imports each half and hands it its API. All are fetched at once and applied in the preset's order. */
export async function loadHalves(command: Boot, surroundings: HalfSurroundings): Promise<void> {
  const guest = apiOf(command, surroundings)
  const loading = command.halves.map(half => bundled(half) ?? importHalf(half))
  // A failure is reported by the half's turn; until then it has an owner here.
  for (const half of loading) half.catch(() => {})
  for (const [i, half] of command.halves.entries()) {
    const apply = await loading[i]
    if (typeof apply !== 'function') throw new Error(`the guest half of plugin '${half.name}' has no default export that is a function (${half.url})`)
    try {
      await apply(guest, half.options)
    } catch (cause) {
      throw new Error(`the guest half of plugin '${half.name}' failed to start: ${describeThrown(cause).message}`, { cause })
    }
  }
}

async function importHalf(half: HalfRef): Promise<GuestHalf<unknown> | undefined> {
  try {
    return ((await import(half.url)) as { default?: GuestHalf<unknown> }).default
  } catch (cause) {
    throw new Error(`the guest half of plugin '${half.name}' cannot be loaded: ${describeThrown(cause).message}`, { cause })
  }
}

/** The halves of this package that are in the guest's own bundle; none where it runs without one. */
function bundled({ url }: HalfRef): Promise<GuestHalf<unknown>> | undefined {
  const root = new URL('../', import.meta.url).href
  return url.startsWith(root) ? bundledHalves[url.slice(root.length)]?.().then(module => module.default) : undefined
}

function apiOf(command: Boot, { namespace, bridge, handles, parts, hooks, notice, resetGlobals, clean }: HalfSurroundings): Guest {
  return {
    hooks, namespace, runtime: command.runtime, statePath: command.state?.path ?? null, scratchPath: command.scratch, currentCell, runInCell, notice, resetGlobals, clean,
    transform: transform => { parts.transforms.push(transform) },
    serializer: serializer => { parts.serializers.push(serializer) },
    stateLimits: limits => { parts.limits = limits },
    importer: importer => { parts.importers.push(importer) },
    prepare: preparation => { parts.preparations.push(preparation) },
    outputMeter: open => { parts.openMeter = open },
    handle: (name, methods) => { handles.add(name, methods) },
    own: (name, value) => { namespace.own(name, value) },
    global: (name, value) => { namespace.global(name, value) },
    call: (handle, name, args) => bridge.call(handle, name, args),
    beforeCell: task => { parts.beforeCell.push(task) },
  }
}
