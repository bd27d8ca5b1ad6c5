import { differences } from '../../../state/support/exact.mjs'
import { MemoryDisk, randomFrom } from '../../../state/support/disks.ts'
import { openNotebook } from '../../../state/support/store.ts'
import { type Mutate, MUTATIONS, SAMPLE } from './mutations.ts'
import { rounds } from './script.ts'

const PATH = '/state'
/** Made by somebody who knows the format: what they put in is what the file says. */
const TRUSTED: ReadonlySet<string> = new Set(['forged', 'swapped', 'bomb'])
/** After these a last generation may be missing as if it had never been written. */
const LIKE_TORN: ReadonlySet<string> = new Set(['cut', 'zero', 'drop', 'huge'])

function check(holds: boolean, problem: string): void { if (!holds) throw new Error(problem) }

function write(disk: MemoryDisk, path: string, bytes: Uint8Array): void {
  const file = disk.open(path, 'w')
  disk.write(file, bytes, 0, bytes.length, 0)
  disk.close(file)
}

/** A state of two generations, with a value in a file of its own. */
async function goodState(): Promise<{ readonly log: Buffer; readonly blob: string; readonly bytes: Buffer }> {
  const disk = new MemoryDisk()
  const book = openNotebook(PATH, { disk })
  for (const [name, value] of Object.entries(SAMPLE())) book.set(name, value)
  await book.store.save()
  book.set('text', 'second')
  await book.store.save()
  book.store.close()
  const [blob = ''] = disk.list(`${PATH}/blobs`)
  return { log: disk.read(`${PATH}/log`), blob, bytes: disk.read(`${PATH}/blobs/${blob}`) }
}

/** Opens a bad state; answers whether anything was missing, all of it named. */
async function openBad(disk: MemoryDisk, kind: string): Promise<boolean> {
  const book = openNotebook(PATH, { disk })
  try {
    const report = await book.store.restore(null)
    const named = new Set([...report?.held ?? [], ...report?.failed ?? [], ...report?.lost ?? []].map(({ name }) => name))
    const fresh: Record<string, unknown> = { ...SAMPLE(), text: report?.generation === 1 ? 'hello' : 'second' }
    if (report !== null && !TRUSTED.has(kind)) {
      for (const name of report.restored) {
        const found = differences(fresh[name], book.get(name))
        check(found.length === 0, `${name} is silently another one: ${found.join()}`)
      }
      for (const name of Object.keys(fresh)) check(report.restored.includes(name) || named.has(name), `${name} is neither back nor named`)
      check(report.generation !== 1 || report.notes.length > 0 || LIKE_TORN.has(kind), 'an earlier generation without a word')
      check(report.notes.length === 0 || disk.list(PATH).some(name => name.includes('.corrupt-')), 'what was bad is not set aside')
    }
    book.set('after', 1)
    await book.store.save()
    return named.size > 0 || report === null
  } catch (error) {
    check(String((error as { code?: unknown }).code).startsWith('STATE_'), `a start fails without a code: ${(error as Error).stack}`)
    return true
  } finally { book.store.close() }
}

await rounds<{ count: number; seed: number }>(async ({ count, seed }, round) => {
  const random = randomFrom(seed)
  const { log, blob, bytes } = await goodState()
  const kinds = Object.keys(MUTATIONS)
  let altered = 0
  for (let at = 0; at < count; at++) {
    const kind = kinds[at % kinds.length] as string
    const inBlob = random() < 0.15 && !TRUSTED.has(kind) && kind !== 'huge'
    const bad = (MUTATIONS[kind] as Mutate)(inBlob ? bytes : log, random)
    const disk = new MemoryDisk()
    for (const folder of [PATH, `${PATH}/blobs`]) disk.makeFolder(folder)
    write(disk, `${PATH}/log`, inBlob ? log : bad)
    write(disk, `${PATH}/blobs/${blob}`, inBlob ? bad : bytes)
    try { if (await openBad(disk, kind)) altered++ } catch (cause) { throw new Error(`round ${at}, ${kind}`, { cause }) }
    round()
  }
  return { altered }
})
