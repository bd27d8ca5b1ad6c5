import { CELL_MARK } from '../../../guest/protocol.ts'
import { Places } from './quote.ts'
import type { Runner, Script, ShellResult } from './run.ts'

/** The parts of bun's own shell that are used. */
interface NativePromise extends PromiseLike<ShellResult> {
  quiet(): NativePromise
  nothrow(): NativePromise
  cwd(folder: string): NativePromise
  env(variables: Record<string, string | undefined>): NativePromise
}
type Native = (strings: TemplateStringsArray, ...values: readonly unknown[]) => NativePromise

/**
 * Runs scripts in bun's shell. It writes to the guest's own output unless it is quiet, past every cell, so it always
 * is, and what came is told at the end.
 */
export function bunRunner(shell: unknown): Runner {
  const native = shell as Native
  const [tag = ''] = (process.env[CELL_MARK] ?? '').split(':')
  return async ({ script, cell, cwd, env, say }) => {
    const marked = { ...env, [CELL_MARK]: `${tag}:${cell?.number ?? 0}` }
    const { exitCode, stdout, stderr } = await native(withDescriptors(script), ...script.values).quiet().nothrow().cwd(cwd).env(marked)
    say?.('stdout', stdout)
    say?.('stderr', stderr)
    return { exitCode, stdout, stderr }
  }
}

/** `>&2` written as `1>&2`, which alone bun's shell reads. */
export function withDescriptors({ strings }: Pick<Script, 'strings'>): TemplateStringsArray {
  const places = new Places()
  const raw = strings.raw.map(piece => {
    const found: number[] = []
    places.read(piece, at => { if (/^>&[12]/.test(piece.slice(at, at + 3)) && !/[\d&>]$/.test(piece.slice(0, at))) found.push(at) })
    return found.reduceRight((text, at) => `${text.slice(0, at)} 1${text.slice(at)}`, piece)
  })
  return Object.assign([...strings], { raw })
}
