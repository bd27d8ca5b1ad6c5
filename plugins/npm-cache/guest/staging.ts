import path from 'node:path'
import { lstatSync, mkdirSync, now, randomBytes, readdirSync, renameSync, rm } from './builtins.ts'
import { type Layout, shortHash } from './layout.ts'
import { type Owner, fateOf, self } from './owner.ts'

/** An install under way: a folder whose name carries what is installed, since when, and by whom. */
export interface Claim extends Owner { readonly key: string; readonly since: number; readonly folder: string }

/** How long a folder of another machine is left alone. */
const FOREIGN_MS = 24 * 3600_000
/** How long set-aside entries and failures are kept. */
const KEEP_MS = { aside: 7 * 24 * 3600_000, failures: 3600_000 } as const

/** Since when a claim is one whose owner has not read the clock yet: before all others, so that they wait for it. */
const CHOOSING = -1

/**
 * Opens a staging folder for a request. Its owner announces it before it reads the clock (Lamport's bakery): else a claim
 * could become visible only after a later one had looked and found itself the first.
 */
export function openStaging(layout: Layout, request: string): Claim {
  const owner = self()
  const key = shortHash(request)
  const mark = randomBytes(4).toString('hex')
  const folderOf = (since: number): string => path.join(layout.staging, [key, since, owner.machine, owner.pid, owner.start, mark].join('.'))
  mkdirSync(folderOf(CHOOSING), { recursive: true, mode: 0o700 })
  // Later than all that are there: one of the same millisecond may have looked already.
  const since = claims(layout).reduce((latest, claim) => claim.key === key ? Math.max(latest, claim.since + 1) : latest, now())
  const folder = folderOf(since)
  renameSync(folderOf(CHOOSING), folder)
  return { key, since, ...owner, folder }
}

/**
 * The live claim on the same request that came first, if it is another's. It only spares work: should two think that
 * they lead, as on machines whose clocks differ, they install twice, and the second to publish throws its copy away.
 */
export function leaderOf(layout: Layout, mine: Claim): Claim | undefined {
  const rivals = claims(layout).filter(claim => claim.key === mine.key && fateOf(claim) === 'alive')
  const first = rivals.sort((a, b) => a.since - b.since || (a.folder < b.folder ? -1 : 1))[0]
  return first === undefined || first.folder === mine.folder ? undefined : first
}

/** Removes what dead owners left, and what was set aside long ago. */
export async function sweep(layout: Layout): Promise<void> {
  const left = claims(layout).filter(claim => {
    const fate = fateOf(claim)
    return fate === 'dead' || (fate === 'unknown' && claim.since !== CHOOSING && now() - claim.since > FOREIGN_MS)
  })
  const old = [...olderThan(layout.aside, KEEP_MS.aside), ...olderThan(layout.failures, KEEP_MS.failures)]
  for (const folder of [...left.map(claim => claim.folder), ...old]) await discard(folder)
}

/** Removes a folder; one that cannot be removed now is left to the next sweep. */
export async function discard(folder: string): Promise<void> {
  try { await rm(folder, { recursive: true, force: true, maxRetries: 2 }) } catch { /* see above */ }
}

function claims(layout: Layout): Claim[] {
  return list(layout.staging).flatMap(name => {
    const [key = '', since, machine = '', pid, start = ''] = name.split('.')
    return since === undefined || pid === undefined ? [] : [{ key, since: Number(since), machine, pid: Number(pid), start, folder: path.join(layout.staging, name) }]
  })
}

function olderThan(folder: string, ms: number): string[] {
  return list(folder).map(name => path.join(folder, name)).filter(file => {
    try { return now() - lstatSync(file).ctimeMs > ms } catch { return false }
  })
}

function list(folder: string): string[] {
  try { return readdirSync(folder) } catch { return [] }
}
