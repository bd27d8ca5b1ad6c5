import { resolve } from 'node:path'
import { findFolders } from './doctor/folders.ts'
import { type Guest, tryPreset } from './doctor/guests.ts'
import { findPrograms } from './doctor/programs.ts'
import { renderReport, type Report, type Variable } from './doctor/report.ts'
import { problemOf, VARIABLES } from './environment.ts'
import type { Arguments } from './flags.ts'
import { type Io, write } from './io.ts'
import { misuse } from './misuse.ts'
import { presetNames } from '../load/preset.ts'
import { version } from './version.ts'

/** Looks at the machine as a notebook would find it, and says what is missing and how to get it. */
export async function doctor(args: Arguments, io: Io): Promise<number> {
  const [stranger] = args.positionals
  if (stranger !== undefined) throw misuse(`doctor takes no arguments, got '${stranger}'`)
  const report = await examine(args.text('preset') ?? (io.env['PI_RLM_PRESET'] || 'default'), resolve(io.cwd, args.text('cwd') ?? '.'), io)
  await write(io.stdout, args.has('json') ? `${JSON.stringify(report, null, 2)}\n` : renderReport(report))
  return report.ok ? 0 : 1
}

async function examine(preset: string, cwd: string, io: Io): Promise<Report> {
  const guests: Guest[] = []
  // One after the other: a start beside another one says little about either.
  for (const name of new Set([...presetNames(), preset])) guests.push(await tryPreset(name, io.cwd))
  const [programs, folders] = await Promise.all([findPrograms(io.env), findFolders(io.env, cwd)])
  const variables = VARIABLES.flatMap((variable): Variable[] => {
    const value = io.env[variable.name]
    const problem = problemOf(variable, io.env)
    return value === undefined || value === '' ? [] : [{ name: variable.name, value, ...(problem !== undefined && { problem }) }]
  })
  const ok = guests.every(guest => guest.preset !== preset || guest.problem === undefined) && variables.every(({ problem }) => problem === undefined)
  const { bun } = process.versions
  return { version: version(), host: { name: bun === undefined ? 'node' : 'bun', version: bun ?? process.versions.node, path: process.execPath }, preset, ok, programs, guests, variables, folders }
}
