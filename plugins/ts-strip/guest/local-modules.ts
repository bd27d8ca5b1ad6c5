import { createRequire, register } from 'node:module'
import { pathToFileURL } from 'node:url'
import { compilerName } from './compiler-name.ts'

/** A text that names a typed module. */
const NAMES_ONE = /\.[mc]?tsx?['"`]/

/** Runs in node's loader thread, which is why it is text. */
const HOOKS = `
import { readFile, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
let ts, typescript
export function initialize(data) { typescript = data.typescript }
const isFile = url => stat(fileURLToPath(url)).then(found => found.isFile(), () => false)
export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context)
  } catch (error) {
    if (!/^\\.{0,2}\\//.test(specifier) || !context.parentURL?.startsWith('file:')) throw error
    for (const each of [specifier.replace(/\\.([mc]?)js(x?)$/, '.$1ts$2'), specifier + '.ts', specifier + '.tsx', specifier + '/index.ts']) {
      if (each !== specifier && await isFile(new URL(each, context.parentURL))) return next(each, context)
    }
    throw error
  }
}
export async function load(url, context, next) {
  const path = url.replace(/[?#].*$/, '')
  if (!path.startsWith('file:') || !/\\.[mc]?tsx?$/.test(path)) return next(url, context)
  ts ??= (await import(typescript)).default
  const common = path.endsWith('.cts')
  const { outputText } = ts.transpileModule(await readFile(new URL(path), 'utf8'), {
    fileName: fileURLToPath(path),
    compilerOptions: { target: 'ES2022', module: common ? 'CommonJS' : 'ESNext', jsx: 'react', inlineSourceMap: true, verbatimModuleSyntax: !common },
  })
  return { format: common ? 'commonjs' : 'module', source: outputText, shortCircuit: true }
}`

let registered = false

/** Lets node load local modules with types, once a cell names one: its own stripping knows no enums, and node 20 has none. */
export function loadTypedModules(source: string): void {
  if (registered || process.versions['bun'] !== undefined || !NAMES_ONE.test(source)) return
  registered = true
  const typescript = pathToFileURL(createRequire(import.meta.url).resolve(compilerName)).href
  register(`data:text/javascript,${encodeURIComponent(HOOKS)}`, { data: { typescript } })
}
