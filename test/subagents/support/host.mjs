// A host process without an engine: `host.mjs DIST BASE [--handover=FILE]`. The root starts two children; a child of it
// reads a task such as `spawn deaf` from stdin and starts one of its own. It says what it started and then lives on, unless BRIEF is set.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const [, , dist, base, flag] = process.argv
const load = path => import(pathToFileURL(`${dist}/${path}`).href)
const { subagents, familyOf } = await load('plugins/subagents/index.js')
const { createHostHooks } = await load('kernel/hooks.js')
const scripted = new URL('./scripted-child.mjs', import.meta.url).pathname
const handover = flag?.slice('--handover='.length)

const agent = {
  name: 'tree',
  plan: ({ cwd, env, depth, handoverPath }) => ({
    kind: 'child', command: process.execPath, cwd, env, stdio: ['pipe', 'pipe', 'pipe'],
    args: depth === 1 ? [process.argv[1], dist, base, `--handover=${handoverPath}`] : [scripted],
  }),
}
const kept = new Map()
const host = {
  hooks: createHostHooks(), signal: new AbortController().signal, cwd: base, env: { PATH: process.env.PATH }, kept, statePath: `${base}/root`,
  method: () => {}, methods: () => [], childAgent: () => {}, agent: () => agent, save: async () => {}, names: async () => [], notice: () => {}, onDispose: () => {}, onTouched: () => {},
}
const settings = handover === undefined ? JSON.parse(process.env.OPTIONS ?? '{}') : { handover }
subagents(settings).apply(host)
const family = familyOf(kept)
const tasks = handover === undefined ? JSON.parse(process.env.TASKS) : JSON.parse(readFileSync(0, 'utf8'))

const results = await Promise.all(tasks.map(async task => {
  try {
    const { record } = await family.admit({ task, cell: 'cell' })
    return record.id
  } catch (error) { return `${error.code}: ${error.message}` }
}))
process.stdout.write(JSON.stringify({ pid: process.pid, results }) + '\n')
if (handover !== undefined) {
  const ids = results.filter(result => result.startsWith('c-'))
  await family.wait(ids, false, 0, new AbortController().signal)
  process.stdout.write(JSON.stringify(ids.map(id => family.find(id).status)))
  process.exit(0)
}
if (process.env.BRIEF === undefined) setInterval(() => {}, 1e6)
