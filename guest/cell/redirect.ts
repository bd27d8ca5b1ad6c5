import * as nodeModule from 'node:module'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { candidates } from './local-graph.ts'

/** Sends the imports of local modules to the generation that is current. */
export interface Redirect { update(generations: ReadonlyMap<string, number>): Promise<void> }

interface BunPlugins {
  plugin(plugin: { name: string; setup(build: { onResolve(on: { filter: RegExp }, answer: (args: { path: string; importer: string }) => { path: string } | undefined): void }): void }): void
}
const bun = (globalThis as { Bun?: BunPlugins }).Bun
const plugin = bun?.plugin.bind(bun)

/** Installs the redirection in this runtime; only a notebook that imports an edited module pays for it. */
export function redirectImports(): Promise<Redirect> {
  return Promise.resolve(plugin ? redirectOnBun(plugin) : redirectOnNode())
}

function redirectOnBun(install: BunPlugins['plugin']): Redirect {
  const current = new Map<string, number>()
  install({
    name: 'edited modules',
    setup: build => {
      build.onResolve({ filter: /^\.{0,2}\// }, ({ path, importer }) => {
        const asked = resolve(dirname(importer), path)
        // Asking the runtime to resolve would come back here.
        const found = current.has(asked) ? asked : candidates(asked).find(each => current.has(each))
        return found === undefined ? undefined : { path: `${found}?v=${current.get(found)}` }
      })
    },
  })
  return {
    update(generations) {
      for (const [path, generation] of generations) current.set(path, generation)
      return Promise.resolve()
    },
  }
}

/** Runs in node's loader thread, which is why it is text. It answers each message once it has taken it in. */
const HOOKS = `
const current = new Map()
export function initialize({ port }) {
  port.on('message', entries => { for (const [url, generation] of entries) current.set(url, generation); port.postMessage('taken') })
  port.unref()
}
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context)
  const generation = current.get(found.url)
  return generation === undefined ? found : { ...found, url: found.url + '?v=' + generation }
}`

function redirectOnNode(): Redirect {
  const { MessageChannel } = nodeModule.createRequire(import.meta.url)('node:worker_threads') as typeof import('node:worker_threads')
  const { port1, port2 } = new MessageChannel()
  nodeModule.register(`data:text/javascript,${encodeURIComponent(HOOKS)}`, { data: { port: port2 }, transferList: [port2] })
  port1.unref()
  return {
    update: generations => new Promise(done => {
      port1.once('message', () => { port1.unref(); done() })
      port1.ref()
      port1.postMessage([...generations].map(([path, generation]) => [pathToFileURL(path).href, generation]))
    }),
  }
}
