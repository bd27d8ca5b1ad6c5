#!/usr/bin/env node
// Runs the corpus against any engine that speaks NDJSON over its standard streams; the protocol is in README.md.
//   node test/corpus/run.mjs [--engine 'COMMAND ARG…'] [FILE.jsonl…]
import { spawn } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))

/** The cases of some files, of all files of this folder when none is named. */
export function readCases(files = readdirSync(here).filter(name => name.endsWith('.jsonl')).sort().map(name => here + name)) {
  return files.flatMap(file => readFileSync(file, 'utf8').split('\n').filter(line => line.trim() !== '').map(line => JSON.parse(line)))
}

/** What is wrong with the results of a case's cells, as sentences; none when the case holds. `numbers` are the cells' numbers. */
export function problems({ cells }, results, numbers = cells.map((_, i) => i + 1)) {
  return cells.flatMap((cell, i) => {
    const wrong = problemOf(cell, results[i], text => text.replace(/\$(\d+)/g, (_, n) => String(numbers[n - 1])))
    return wrong === undefined ? [] : [`cell ${i + 1} (${JSON.stringify(cell.code).slice(0, 100)}): ${wrong}`]
  })
}

function problemOf(cell, result, numbered) {
  if (result === undefined) return 'it has no result'
  if (cell.error) return errorProblem(cell.error, result, numbered)
  if (result.status !== 'ok') return `it ended as ${result.status}: ${result.error?.name}: ${result.error?.message}`
  if ('value' in cell && JSON.stringify(result.value) !== JSON.stringify(cell.value)) return `its value is ${JSON.stringify(result.value) ?? `not JSON, but ${result.result}`}, not ${JSON.stringify(cell.value)}`
  if ('shown' in cell && (result.result ?? null) !== cell.shown) return `it shows ${JSON.stringify(result.result ?? null)}, not ${JSON.stringify(cell.shown)}`
  if (cell.stdout !== undefined && result.stdout !== cell.stdout) return `it printed ${JSON.stringify(result.stdout)}, not ${JSON.stringify(cell.stdout)}`
  return undefined
}

function errorProblem(wanted, { status, error, result }, numbered) {
  if (status !== 'error') return `it ended as ${status} with ${result}, not as an error ${wanted.name}`
  if (error.name !== wanted.name) return `its error is ${error.name}: ${error.message}, not ${wanted.name}`
  if (wanted.message !== undefined && !error.message.includes(wanted.message)) return `its message is ${JSON.stringify(error.message)}, without ${JSON.stringify(wanted.message)}`
  const place = error.stack[0] ?? ''
  const [, line, column] = /:(\d+):(\d+)\)?$/.exec(place) ?? []
  if (wanted.line !== undefined && Number(line) !== wanted.line) return `it was thrown at ${place || 'no place'}, not in line ${wanted.line}`
  if (wanted.column !== undefined && Number(column) !== wanted.column) return `it was thrown at ${place}, not in column ${wanted.column}`
  let at = -1
  for (const frame of wanted.frames ?? []) {
    at = error.stack.findIndex((each, i) => i > at && each.includes(numbered(frame)))
    if (at === -1) return `its stack ${JSON.stringify(error.stack)} has no further frame ${numbered(frame)}`
  }
  return undefined
}

/** Runs a case in an engine of its own and answers the problems. */
async function runCase(command, each) {
  const child = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] })
  const results = []
  const lines = createInterface({ input: child.stdout })
  const ended = new Promise(resolve => { child.once('close', resolve) })
  lines.on('line', line => {
    const message = JSON.parse(line)
    if (message.status !== undefined) results[Number(message.id)] = message
  })
  each.cells.forEach(({ code }, id) => child.stdin.write(`${JSON.stringify({ id: String(id), code, json: true })}\n`))
  child.stdin.end()
  await ended
  return problems(each, results)
}

async function main(args) {
  const engine = args[0] === '--engine' ? args.splice(0, 2)[1].split(' ') : [process.execPath, `${here}../../dist/presets/cli/main.js`, 'exec']
  const cases = readCases(args.length > 0 ? args : undefined)
  let failed = 0
  for (const each of cases) {
    const wrong = await runCase(engine, each)
    if (wrong.length > 0) console.log(`${each.id} ${each.title}\n  ${wrong.join('\n  ')}`)
    failed += wrong.length > 0 ? 1 : 0
  }
  console.log(`${cases.length - failed} of ${cases.length} cases hold`)
  process.exitCode = failed > 0 ? 1 : 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2))
