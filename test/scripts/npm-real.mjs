// Imports well-known packages from the registry of this machine's npm configuration, on both guests, cold and warm.
// Not part of the suite: it needs the network. Build first; run: node test/scripts/npm-real.mjs [preset…]
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EngineManager } from '../../dist/kernel/index.js'

/** What is imported, and what the cell has to answer. */
const samples = [
  ['pure ESM', `import { z } from 'npm:zod@4'; z.object({ a: z.number() }).parse({ a: 1 }).a`, '1'],
  ['subpath', `import { format } from 'npm:date-fns@4/format'; format(new Date(2020, 1, 3), 'yyyy-MM-dd')`, `'2020-02-03'`],
  ['many files', `import { chunk } from 'npm:lodash-es@4'; chunk([1, 2, 3], 2).length`, '2'],
  ['CommonJS', `import ms from 'npm:ms@2'; ms('1h')`, '3600000'],
  ['CommonJS, path without extension', `import fp from 'npm:lodash@4/fp'; fp.map(x => x * 2)([1, 2]).join()`, `'2,4'`],
  ['native prebuilt', `import { transform } from 'npm:lightningcss@1'; transform({ filename: 'a.css', code: Buffer.from('a { color: #ff0000 }'), minify: true }).code.toString()`, `'a{color:red}'`],
  ['peer dependencies', `import { renderToString } from 'npm:react-dom@19/server'; typeof renderToString`, `'function'`],
  ['types only', `import type { Simplify } from 'npm:type-fest@4'; const pair: Simplify<{ a: number }> = { a: 1 }; pair.a`, '1'],
  ['scoped', `import { Type } from 'npm:@sinclair/typebox@0.34'; Type.String().type`, `'string'`],
  ['named like a builtin', `import EventEmitter from 'npm:events@3'; typeof EventEmitter.once`, `'function'`],
  ['dynamic', `(await import('npm:nanoid@5')).nanoid().length`, '21'],
]

let failures = 0
let kept
for (const name of process.argv.length > 2 ? process.argv.slice(2) : ['default', 'node']) await measure(name)
process.exitCode = failures === 0 ? 0 : 1

async function measure(name) {
  const { preset } = await import(`../../dist/presets/${name}.js`)
  const cache = mkdtempSync(join(tmpdir(), 'npm-real-cache-'))
  const cwd = mkdtempSync(join(tmpdir(), 'npm-real-cwd-'))
  writeFileSync(join(cwd, 'package.json'), '{"name":"untouched","dependencies":{"zod":"3"}}')
  const before = fingerprint(cwd)
  const rows = samples.map(([title]) => ({ preset: name, sample: title }))
  for (const moment of ['cold', 'warm', 'again']) {
    // `again` runs in the session of `warm`: the import is a look-up there.
    const engine = await session(preset, cwd, cache, moment)
    for (const [index, [title, code, expected]] of samples.entries()) {
      const result = await engine.execute(code)
      rows[index][`${moment} ms`] = Math.round(result.durationMs * 10) / 10
      if (moment === 'cold') rows[index].installed = /\(installed: (.*?)\)/.exec(result.stderr)?.[1] ?? '-'
      if (result.status === 'ok' && result.result === expected) continue
      failures++
      console.error(`${name}, ${title}, ${moment}: ${result.status} ${result.result ?? ''} ${result.error?.message ?? ''}\n${result.stderr}`)
    }
    if (moment !== 'warm') await engine.dispose()
  }
  console.table(rows)
  const untouched = fingerprint(cwd) === before
  if (!untouched) failures++
  console.log(`${name}: working directory ${untouched ? 'unchanged' : 'CHANGED'} (sha256 ${before.slice(0, 16)})`)
  rmSync(cache, { recursive: true })
  rmSync(cwd, { recursive: true })
}

async function session(preset, cwd, cache, moment) {
  if (moment === 'again') return kept
  kept = new EngineManager({ preset, cwd, env: { ...process.env, PI_RLM_NPM_CACHE_DIR: cache } })
  await kept.start()
  await kept.execute('1 as number')
  return kept
}

function fingerprint(folder) {
  const hash = createHash('sha256')
  for (const item of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    hash.update(`${item.parentPath ?? item.path}/${item.name}\0`)
    if (item.isFile()) hash.update(readFileSync(join(item.parentPath ?? item.path, item.name)))
  }
  return hash.digest('hex')
}
