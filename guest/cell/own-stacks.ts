import { currentCell } from '../context.ts'
import type { Globals } from '../globals.ts'
import { caught } from './caught.ts'
import { MARK } from './private-names.ts'
import { inOwnPlaces, isOfCell } from './stack.ts'

interface Site { toString(): string; getFileName(): string | null | undefined; isAsync?(): boolean }
type Prepare = (error: Error, sites: readonly Site[]) => unknown
type Origin = 'cell' | 'engine' | 'runtime' | 'other'
interface Frame { readonly line: string; readonly origin: Origin }

const Errors = Error as unknown as { prepareStackTrace?: Prepare | undefined }
let ownStack: Prepare | undefined

/**
 * Gives cells stacks in their own lines, columns and names, without frames of the engine. Runtimes ask for the text of a stack
 * when it is first read, so that an error nobody prints costs what it did. Once, before the first cell.
 */
export function writeOwnStacks(clean: Globals['clean']): void {
  // What the runtime itself makes of a stack; old versions of node do not give it away.
  const platform = Errors.prepareStackTrace ?? platformStack
  const engine = engineFolders()
  const stackOf: Prepare = (error, sites) => {
    const frames = sites.map(site => frameOf(site, engine))
    if (currentCell() === undefined && frames.every(({ origin }) => origin !== 'cell')) return platform(error, sites)
    caught(error)
    return headOf(error, platform) + shown(frames).map(({ line }) => `\n${inOwnPlaces(line)}`).join('')
  }
  ownStack = Errors.prepareStackTrace = (error, sites) => clean(() => {
    try { return stackOf(error, sites) } catch { return platform(error, sites) }
  })
}

/** Puts the writer of stacks back where a cell left none: without one the places are those of compiled code. */
export function keepOwnStacks(): void {
  if (ownStack !== undefined && Errors.prepareStackTrace === undefined) Errors.prepareStackTrace = ownStack
}

/** Where the engine's code lies, as stacks name it. */
function engineFolders(): readonly string[] {
  const { prepareStackTrace } = Errors
  Errors.prepareStackTrace = (_, [site]) => site?.getFileName()
  const own = String(new Error().stack)
  Errors.prepareStackTrace = prepareStackTrace
  const root = own.slice(0, own.lastIndexOf('/guest/'))
  return [`${root}/guest/`, `${root}/plugins/`]
}

/** What called the cell's code stands below it, and says nothing about it. */
function shown(frames: readonly Frame[]): readonly Frame[] {
  const last = frames.findLastIndex(({ origin }) => origin === 'cell' || origin === 'other')
  return frames.filter(({ origin }, i) => i <= last && origin !== 'engine')
}

/** A frame of code that has no name of its author's. */
const NAMELESS = new RegExp(`^(async )?(?:<anonymous>|(?:\\w+\\.)?${MARK}\\d+) \\((.*)\\)$`)

function frameOf(site: Site, engine: readonly string[]): Frame {
  const text = site.toString().replace(NAMELESS, '$1$2')
  const prefix = site.isAsync?.() && !text.startsWith('async ') ? 'async ' : ''
  return { line: `    at ${prefix}${text}`, origin: isOfCell(text) ? 'cell' : originOf(site.getFileName(), engine) }
}

function originOf(file: string | null | undefined, engine: readonly string[]): Origin {
  if (file === null || file === undefined || file === '' || /^(?:node:|\[?native)/.test(file)) return 'runtime'
  return engine.some(folder => file.startsWith(folder)) ? 'engine' : 'other'
}

function headOf(error: Error, platform: Prepare): string {
  try {
    return String(platform(error, []))
  } catch {
    // What is no error gets a stack by captureStackTrace.
    return 'Error'
  }
}

function platformStack(error: Error, sites: readonly Site[]): string {
  return Error.prototype.toString.call(error) + sites.map(site => `\n    at ${site.toString()}`).join('')
}
