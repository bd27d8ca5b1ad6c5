import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bunProgram, type Guest, installations, program, ROOT, type Version } from './installations.ts'
import { type PiEvent, Rpc } from './rpc.ts'
import { Tui, type TuiSize } from './tui.ts'

/** Keeps a run free of everything that is not named on the command line. Both versions know these flags. */
export const ISOLATION = ['--no-extensions', '--no-skills', '--no-prompt-templates', '--no-themes', '--no-context-files']
export const EXTENSION = join(ROOT, 'presets/pi/extension.ts')

export interface PiOptions {
  readonly version: Version
  readonly modelUrl: string
  /** What the notebook's cells run on; bun, as the default preset says, unless told otherwise. */
  readonly guest?: Guest
  readonly env?: Readonly<Record<string, string>>
  readonly settings?: object
  /** Flags of every run; ISOLATION unless given. */
  readonly flags?: readonly string[]
  /** Whether the machine has bun on PATH; yes unless its guest is another. */
  readonly bun?: boolean
}

export interface Run { readonly code: number | string; readonly stdout: string; readonly stderr: string; readonly bytes: number }

/** One pi installation in a throw-away home: `<root>/home`, `<root>/work`, `<root>/bin` with `pi`, `node`, `bun` on PATH. */
export class Pi {
  readonly version: Version
  readonly root: string
  readonly work: string
  readonly agentDir: string
  readonly env: Readonly<Record<string, string>>
  private readonly shim: string
  private readonly flags: readonly string[]
  private readonly open = new Set<Rpc | Tui>()

  constructor(options: PiOptions) {
    this.version = options.version
    this.root = mkdtempSync(join(tmpdir(), `pi-e2e-${options.version}-`))
    this.work = join(this.root, 'work')
    const home = join(this.root, 'home')
    this.agentDir = join(home, '.pi/agent')
    const bin = join(this.root, 'bin')
    const temp = join(this.root, 'tmp')
    for (const folder of [this.agentDir, this.work, bin, temp]) mkdirSync(folder, { recursive: true })
    shareCaches(temp)
    writeFileSync(join(this.agentDir, 'models.json'), JSON.stringify(modelsJson(options.modelUrl)))
    writeFileSync(join(this.agentDir, 'settings.json'), JSON.stringify({
      defaultProvider: 'scripted', defaultModel: 'scripted-model', quietStartup: true, enableInstallTelemetry: false, retry: { baseDelayMs: 20 }, ...options.settings,
    }))
    this.shim = writePrograms(bin, options)
    this.env = {
      PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`, HOME: home, TMPDIR: temp, LANG: 'C.UTF-8', TERM: 'xterm-256color', COLORTERM: 'truecolor',
      PI_CODING_AGENT_DIR: this.agentDir, PI_OFFLINE: '1', PI_TELEMETRY: '0', ...presetOf(options), ...options.env,
    }
    this.flags = [...(options.flags ?? ISOLATION), '--provider', 'scripted', '--model', 'scripted-model']
  }

  print(args: readonly string[], input?: string): Promise<Run> { return this.run(['-p', ...this.flags, ...args], input) }

  async json(args: readonly string[]): Promise<Run & { readonly events: readonly PiEvent[] }> {
    const run = await this.run(['--mode', 'json', ...this.flags, ...args])
    return { ...run, events: run.stdout.split('\n').filter(line => line !== '').map(line => JSON.parse(line) as PiEvent) }
  }

  rpc(args: readonly string[] = []): Rpc {
    return this.track(new Rpc(spawn(this.shim, ['--mode', 'rpc', ...this.flags, ...args], { cwd: this.work, env: this.env }), this.version))
  }

  tui(args: readonly string[] = [], size: TuiSize = {}): Tui {
    return this.track(Tui.start({ command: [this.shim, ...this.flags, ...args], cwd: this.work, env: this.env, root: this.root, ...size }))
  }

  /** Types a shell command into a terminal. */
  typed(command: string, cwd: string, env: Readonly<Record<string, string>> = {}): Tui {
    return this.track(Tui.start({ command: ['/bin/sh', '-c', command], cwd, env: { ...this.env, ...env }, root: this.root }))
  }

  /** Runs pi with exactly these arguments. */
  run(args: readonly string[], input = ''): Promise<Run> { return this.runProgram(this.shim, args, input, 90_000) }

  /** Runs a shell command that may need this process to answer it. */
  async shell(command: string): Promise<Run> {
    const run = await this.runProgram('/bin/sh', ['-c', command], '', 300_000)
    if (run.code !== 0) throw new Error(`${command}: ${run.code}\n${run.stdout}${run.stderr}`)
    return run
  }

  private async runProgram(program: string, args: readonly string[], input: string, limitMs: number): Promise<Run> {
    const child = spawn(program, args, { cwd: this.work, env: this.env, stdio: ['pipe', 'pipe', 'pipe'] })
    const output = { stdout: '', stderr: '' }
    let bytes = 0
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => { bytes += text.length; output[name] += text })
    }
    child.stdin.end(input)
    const timer = setTimeout(() => child.kill('SIGTERM'), limitMs)
    const code = await new Promise<number | string>(done => child.once('close', (status, signal) => done(status ?? signal ?? '?')))
    clearTimeout(timer)
    return { code, ...output, bytes }
  }

  /** What a shell command prints, in pi's working folder and environment. */
  sh(command: string): string { return execFileSync('/bin/sh', ['-c', command], { cwd: this.work, env: this.env, encoding: 'utf8' }) }

  /** Ends what still runs and removes the home. */
  async remove(): Promise<void> {
    for (const process of this.open) await process.kill()
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 })
  }

  private track<T extends Rpc | Tui>(process: T): T {
    this.open.add(process)
    return process
  }
}

/** Compiled extensions are kept by content; without the cache every run compiles them anew. */
function shareCaches(temp: string): void {
  for (const name of ['jiti', 'node-compile-cache']) {
    const cache = join(tmpdir(), 'pi-e2e-cache', name)
    mkdirSync(cache, { recursive: true })
    symlinkSync(cache, join(temp, name))
  }
}

/** A session that asks for nothing has the default preset; only another one is named. */
const presetOf = ({ guest = 'bun' }: PiOptions): Record<string, string> => guest === 'bun' ? {} : { PI_RLM_PRESET: guest }

function writePrograms(bin: string, { version, guest = 'bun', bun = guest === 'bun' }: PiOptions): string {
  const { node, cli } = installations[version]
  const shim = join(bin, 'pi')
  script(shim, `exec '${node}' '${cli}' "$@"`)
  symlinkSync(node, join(bin, 'node'))
  if (bun) symlinkSync(realpathSync(bunProgram()), join(bin, 'bun'))
  const npm = program('npm')
  if (npm !== undefined) symlinkSync(realpathSync(npm), join(bin, 'npm'))
  const fd = program('fd') ?? program('fdfind')
  // Debian's fd is older than the one switch pi passes.
  if (fd !== undefined) script(join(bin, 'fd'), `for a; do shift; [ "$a" = --no-require-git ] || set -- "$@" "$a"; done\nexec '${fd}' "$@"`)
  return shim
}

function script(path: string, body: string): void {
  writeFileSync(path, `#!/bin/sh\n${body}\n`)
  chmodSync(path, 0o755)
}

const modelsJson = (url: string) => ({
  providers: {
    scripted: {
      baseUrl: url, api: 'openai-completions', apiKey: 'none',
      compat: { sendSessionAffinityHeaders: true, supportsDeveloperRole: false, supportsReasoningEffort: false },
      models: [{ id: 'scripted-model', input: ['text', 'image'], contextWindow: 200_000, maxTokens: 16_000 }],
    },
  },
})
