/**
 * Writes the states of this folder. Bundle it, then run it once with each runtime:
 *   npx esbuild test/state/versions/write.ts --bundle --platform=node --format=esm --packages=external --outfile=test/state/versions/write.mjs
 *   bun test/state/versions/write.mjs bun-1.3      (the runtimes come from the npm packages bun and node)
 * `native` holds values in the runtime's own format, `portable` in the one every runtime reads.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGuestHooks } from '../../../guest/hooks.ts'
import { Namespace } from '../../../guest/namespace.ts'
import { createStore } from '../../../guest/store/index.ts'
import { serovalSerializer } from '../../../plugins/seroval-serializer/guest.ts'
import { v8Serializer } from '../../../plugins/v8-serializer/guest.ts'
import { sample } from './sample.ts'

// A stack would carry the paths of the machine that writes.
Error.stackTraceLimit = 0
const runtime = process.versions['bun'] === undefined ? `node ${process.versions.node}` : `bun ${process.versions['bun']}`
const [label = runtime] = process.argv.slice(2)

for (const [kind, serializer] of [['native', v8Serializer], ['portable', serovalSerializer]] as const) {
  const path = mkdtempSync(join(tmpdir(), 'pi-rlm-versions-'))
  const namespace = new Namespace()
  const store = createStore({ namespace, hooks: createGuestHooks(), serializers: [serializer], path, runtime, imports: { origins: { of: () => undefined }, loader: { check: () => {}, import: specifier => import(specifier) } } })
  for (const [name, value] of Object.entries(sample())) namespace.box(name).v = value
  await store.save()
  store.close()
  copyFileSync(join(path, 'log'), join(import.meta.dirname, `${label}.${kind}`))
  rmSync(path, { recursive: true })
}
