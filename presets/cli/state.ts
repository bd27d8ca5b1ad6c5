import { resolve } from 'node:path'
import { type Arguments, positiveInteger } from './flags.ts'
import { type Io, write } from './io.ts'
import { misuse } from './misuse.ts'
import { exportName } from './state/export.ts'
import { readStateFolder, type StateFolder } from './state/read.ts'
import { repairStateFolder } from './state/repair.ts'
import { renderTable } from './table.ts'

/** Generations listed before the older ones are only counted. */
const LISTED = 20

/** Shows what a state folder holds and whether it is sound; repairs it, or prints one value of it. */
export async function state(args: Arguments, io: Io): Promise<number> {
  const [given, stranger] = args.positionals
  if (given === undefined) throw misuse('state needs the path of a state folder: pi-rlm state PATH')
  if (stranger !== undefined) throw misuse(`state takes one folder, got '${stranger}' as well`)
  const path = resolve(io.cwd, given)
  const wanted = args.text('generation')
  const generation = wanted === undefined ? null : positiveInteger('--generation', wanted)
  const name = args.text('export')
  if (name !== undefined) return printValue(readStateFolder(path, generation), name, args, io)
  readStateFolder(path, generation)
  const repaired = args.has('repair') ? await repairStateFolder(path) : null
  const found = readStateFolder(path, generation)
  await write(io.stdout, args.has('json') ? `${JSON.stringify({ ...found, ...(repaired !== null && { repaired }) }, null, 2)}\n` : render(found, repaired))
  return found.verdict === 'damaged' || found.verdict === 'newer' ? 1 : 0
}

async function printValue(found: StateFolder, name: string, args: Arguments, io: Io): Promise<number> {
  const value = await exportName(found, name, io.cwd, args.text('preset'))
  const text = args.has('json') ? JSON.stringify('json' in value ? { name, value: value.json } : { name, text: value.text }) : typeof value.json === 'string' ? value.json : 'json' in value ? JSON.stringify(value.json, null, 2) : value.text
  await write(io.stdout, `${text}\n`)
  return 0
}

const VERDICTS: Readonly<Record<StateFolder['verdict'], string>> = {
  sound: 'sound', torn: 'sound, with the rest of a write that was cut off', damaged: 'damaged',
  empty: 'empty: nothing was saved', newer: 'written by a newer version; left as it is',
}

function render(found: StateFolder, repaired: readonly string[] | null): string {
  const { generations, names, lost, aside, problems, repairable } = found
  const listed = generations.slice(-LISTED)
  const blocks = [
    [`${found.path}: ${VERDICTS[found.verdict]}${repairable ? '; --repair sets aside what does not verify' : ''}`, ...problems.map(problem => `  ${problem}`), ...(repaired ?? []).map(line => `  ${line}`), ...aside.map(file => `  set aside: ${file}`)].join('\n'),
    generations.length === 0 ? '' : renderTable([['GENERATION', 'SAVED', 'FROM', 'NAMES'], ...listed.map(each => [String(each.number), new Date(each.savedAt).toISOString(), each.parent === 0 ? '' : String(each.parent), String(each.names)])])
      + (listed.length < generations.length ? `\nand ${generations.length - listed.length} earlier ones` : ''),
    names.length === 0 ? '' : renderTable([[`NAME (generation ${found.generation})`, 'TYPE', 'BYTES', 'HASH', 'AS', 'BY', ''], ...names.map(each => [each.name, each.type, String(each.size), each.hash.slice(0, 12), each.codec, each.made, remark(each)])]),
    lost.length === 0 ? '' : ['Not kept:', ...lost.map(({ name, reason }) => `  ${name} ${reason}`)].join('\n'),
  ]
  return `${blocks.filter(block => block !== '').join('\n\n')}\n`
}

function remark({ bytes, with: others, loss }: StateFolder['names'][number]): string {
  return [bytes === 'sound' ? '' : bytes.toUpperCase(), others.length === 0 ? '' : `shares objects with ${others.join(', ')}`, loss === undefined ? '' : `with loss: ${loss}`].filter(text => text !== '').join('; ')
}
