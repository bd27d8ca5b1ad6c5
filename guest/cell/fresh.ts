import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isLocal, localGraph, type LocalModule } from './local-graph.ts'
import { redirectImports, type Redirect } from './redirect.ts'

/** What is known of a local module that was loaded: its text, and which generation of each import it got. */
interface Loaded { readonly hash: string; readonly imports: ReadonlyMap<string, number>; readonly failed: boolean }

/**
 * Edited local modules, loaded anew. An engine loads a URL once, for good, and keeps even a failure. So a module that
 * changed, or that imports one that did, or that failed to load, gets the next generation of its URL.
 */
export interface FreshModules {
  /** The URL to load for a local module now, once everything it imports is known to be redirected. */
  urlFor(url: string): Promise<string>
  /** Drops what `require` keeps of changed modules. */
  refresh(path: string): void
  /** Notes that a module could not be loaded: the next import tries again. */
  failed(url: string): void
}

export function createFreshModules(): FreshModules {
  const loaded = new Map<string, Loaded>()
  const generations = new Map<string, number>()
  const { cache } = createRequire(import.meta.url)
  let redirect: Redirect | undefined

  const note = (path: string): boolean => {
    const graph = localGraph(path)
    const stale = staleIn(graph, loaded, generations)
    for (const each of stale) {
      generations.set(each, (generations.get(each) ?? 0) + 1)
      delete cache[each]
    }
    for (const [each, { hash, imports }] of graph) {
      loaded.set(each, { hash, failed: false, imports: new Map(imports.map(next => [next, generations.get(next) ?? 0])) })
    }
    return stale.size > 0
  }

  return {
    async urlFor(url) {
      const [bare = url, query] = url.split('?')
      const path = fileURLToPath(bare)
      if (!isLocal(path)) return url
      if (note(path)) {
        redirect ??= await redirectImports()
        await redirect.update(generations)
      }
      const generation = generations.get(path) ?? 0
      if (generation === 0) return url
      return `${pathToFileURL(path).href}?${query === undefined ? '' : `${query}&`}v=${generation}`
    },
    refresh: path => { if (isLocal(path)) note(path) },
    failed(url) {
      for (const path of localGraph(fileURLToPath(url.split('?')[0] ?? url)).keys()) {
        const known = loaded.get(path)
        if (known) loaded.set(path, { ...known, failed: true })
      }
    },
  }
}

/** Modules of a graph that were loaded as something else than what they are now. */
function staleIn(graph: ReadonlyMap<string, LocalModule>, loaded: ReadonlyMap<string, Loaded>, generations: ReadonlyMap<string, number>): Set<string> {
  const stale = new Set<string>()
  for (const [path, { hash }] of graph) {
    const known = loaded.get(path)
    if (known === undefined) continue
    const moved = [...known.imports].some(([next, generation]) => (generations.get(next) ?? 0) !== generation)
    if (known.failed || known.hash !== hash || moved) stale.add(path)
  }
  for (let grown = stale.size > 0; grown;) {
    grown = false
    for (const [path, { imports }] of graph) {
      if (stale.has(path) || !loaded.has(path) || !imports.some(next => stale.has(next))) continue
      stale.add(path)
      grown = true
    }
  }
  return stale
}
