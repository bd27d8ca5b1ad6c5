import { statSync } from 'node:fs'
import { spentBy, summary } from '../../plugins/subagents/index.ts'
import type { Notebook } from './notebook.ts'
import { type ExtensionAPI, type ExtensionContext, type PiParts, tell } from './pi.ts'
import type { Session } from './session.ts'
import type { Running } from './tool.ts'
import { duration } from './view/duration.ts'

const USAGE = 'Usage: /rlm [status | names | save | restart | forget NAME | doctor]'
const ACTIONS = ['status', 'names', 'save', 'restart', 'forget', 'doctor'] as const
type Action = typeof ACTIONS[number]

/** `/rlm`: what the notebook holds and how it is, for the person at the terminal. */
export function registerCommand(pi: ExtensionAPI, session: Session, parts: PiParts): void {
  pi.registerCommand('rlm', {
    description: 'The notebook: status, names, save, restart, forget NAME, doctor',
    getArgumentCompletions: prefix => ACTIONS.filter(action => action.startsWith(prefix) && action !== prefix).map(action => ({ value: action, label: action })),
    handler: async (args, ctx) => {
      const [word = 'status', ...rest] = args.trim().split(/\s+/).filter(part => part !== '')
      try {
        if (!isAction(word)) { tell(ctx, USAGE, 'warning'); return }
        const running = await session.running()
        tell(ctx, await act(word, rest.join(' '), running, parts, ctx))
      } catch (error) {
        tell(ctx, `pi-rlm: ${(error as Error).message}`, 'error')
      }
    },
  })
}

const isAction = (word: string): word is Action => (ACTIONS as readonly string[]).includes(word)

async function act(action: Action, name: string, running: Running, parts: PiParts, ctx: ExtensionContext): Promise<string> {
  const { notebook } = running
  switch (action) {
    case 'status': return status(running)
    case 'names': return nameTable(await notebook.names())
    case 'save': return saved(await notebook.save())
    case 'restart': {
      await notebook.restart('the user asked for it')
      await notebook.start()
      return 'The notebook was restarted from its last snapshot.'
    }
    case 'forget': return forget(name, notebook)
    case 'doctor': return doctor(notebook, parts, ctx)
  }
}

async function status({ notebook, cellTimeoutMs }: Running): Promise<string> {
  const { engine, lastSave, parts } = notebook
  const names = await notebook.names().catch(() => undefined)
  return [
    `Notebook: ${engine === null ? 'not running' : engine.isWedged ? 'busy in code that cannot be interrupted' : 'running'}, preset ${parts.preset.name}, ${engine?.runtimeVersion ?? parts.preset.runtime.name}${engine?.guestPid == null ? '' : `, process ${engine.guestPid}`}`,
    `Cells: ${engine?.cellCount ?? 0}. Names: ${names === undefined ? 'unknown, the guest does not answer' : names.length}`,
    `Time limit of a cell: ${cellTimeoutMs === null ? 'none' : duration(cellTimeoutMs)}`,
    parts.folder === null ? 'State: not kept (the session is ephemeral)' : `State: ${parts.folder}`,
    lastSave === undefined ? 'Last snapshot: none in this session' : `Last snapshot: ${saved(lastSave)}`,
    ...children(notebook),
    ...(notebook.startFailure === undefined ? [] : [`Problem: ${notebook.startFailure.message}`]),
  ].join('\n')
}

function children({ family }: Notebook): string[] {
  const tree = family?.tree() ?? []
  if (tree.length === 0) return []
  const { input, output, cacheRead, cacheWrite, cost } = spentBy(tree)
  return [`Child agents: ${summary(tree)}; ${input + output + cacheRead + cacheWrite} tokens${cost > 0 ? `, $${cost.toFixed(4)}` : ''}`]
}

function saved(report: Notebook['lastSave']): string {
  if (report === undefined) return 'nothing was saved (the session is ephemeral, or the guest is busy)'
  const left = [...report.failed, ...report.lossy].map(({ name, reason }) => `${name} (${reason})`)
  return `generation ${report.generation}, ${report.saved.length} names, ${size(report.bytes)}${left.length === 0 ? '' : `; not or not wholly: ${left.join(', ')}`}`
}

function nameTable(names: Awaited<ReturnType<Notebook['names']>>): string {
  if (names.length === 0) return 'The notebook has no names yet.'
  const width = Math.max(...names.map(({ name }) => name.length))
  return names.map(({ name, type, size: bytes }) => `${name.padEnd(width)}  ${type}${bytes === null ? '' : `, ${size(bytes)}`}`).join('\n')
}

async function forget(name: string, notebook: Notebook): Promise<string> {
  if (name === '') return 'Which name? /rlm forget NAME'
  const result = await notebook.execute(`rlm.forget(${JSON.stringify(name)})`, {})
  if (result.status !== 'ok') return result.error?.message ?? `'${name}' was not forgotten`
  return result.result === 'false' ? `There is no name '${name}'.` : `'${name}' is forgotten.`
}

function doctor(notebook: Notebook, parts: PiParts, ctx: ExtensionContext): string {
  const { preset, folder } = notebook.parts
  return [
    `pi ${parts.version}, ${process.versions['bun'] === undefined ? 'node' : 'bun'} ${process.version}, model ${ctx.model?.id ?? 'none'}`,
    `preset ${preset.name}: ${notebook.plugins.join(', ')}`,
    `guest: ${notebook.engine?.runtimeVersion ?? (notebook.startFailure?.message ?? 'not running')}`,
    `tools: ${notebook.tools.list().map(tool => tool.name).join(', ') || 'none'}`,
    `state: ${folder === null ? 'not kept' : `${folder}${statSync(folder, { throwIfNoEntry: false }) === undefined ? ' (empty)' : ''}`}`,
  ].join('\n')
}

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  return bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`
}
