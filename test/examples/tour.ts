#!/usr/bin/env -S npx pi-rlm run
// A tour of the notebook: pi-rlm run test/examples/tour.ts
// Every `// %%` begins a cell. Names stay from cell to cell; the value of a cell's last expression is printed.

// %% Names stay, and are redefined at will
let greeting = 'Hello'
const who: string = 'notebook'
;`${greeting}, ${who}!`

// %% The next cell sees them; a second `const` of the same name is no error
const who = 'reader'
;`${greeting}, ${who}!`

// %% Types are for the reader; enums, interfaces and generics work
interface Visit { readonly page: string; readonly seconds: number }
enum Mood { Calm, Busy }
function longest<T>(items: readonly T[], by: (item: T) => number): T | undefined {
  return [...items].sort((a, b) => by(b) - by(a))[0]
}
const visits: Visit[] = [{ page: '/', seconds: 12 }, { page: '/docs', seconds: 95 }, { page: '/faq', seconds: 31 }]
;[Mood[Mood.Busy], longest<Visit>(visits, visit => visit.seconds)]

// %% Static imports stay, too
import { readFile, readdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
typeof readFile

// %% Reads a real file
const manifest = JSON.parse(await readFile('package.json', 'utf8')) as { name: string; dependencies: Record<string, string> }
console.log(`${manifest.name} depends on ${Object.keys(manifest.dependencies).length} packages`)

// %% Reads many, at once
const sources = (await readdir('kernel')).filter(name => name.endsWith('.ts'))
const lengths = await Promise.all(sources.map(async name => ({ name, lines: (await readFile(path.join('kernel', name), 'utf8')).split('\n').length })))
lengths.length > 0

// %% Prints what a person would want to read
for (const { name, lines } of [...lengths].sort((a, b) => b.lines - a.lines).slice(0, 5)) {
  console.log(`${name.padEnd(20)} ${String(lines).padStart(4)} ${'#'.repeat(Math.ceil(lines / 20))}`)
}

// %% Writes a file of its own
const folder = await mkdtemp(path.join(tmpdir(), 'tour-'))
const report = path.join(folder, 'report.csv')
await writeFile(report, ['name,lines', ...lengths.map(({ name, lines }) => `${name},${lines}`)].join('\n') + '\n')
;(await readFile(report, 'utf8')).split('\n')[0]

// %% Runs a shell; its output belongs to this cell
import { execFile, execSync } from 'node:child_process'
import { promisify } from 'node:util'
const { stdout: sorted } = await promisify(execFile)('sh', ['-c', `tail -n +2 "${report}" | sort -t, -k2 -rn | head -3`])
console.log(sorted.trimEnd())

// %% A program that reads standard input gets its end at once, so nothing hangs
execSync('wc -c', { encoding: 'utf8' }).trim()

// %% Awaits timers
const began = Date.now()
await new Promise(resolve => setTimeout(resolve, 120))
Date.now() - began >= 100 ? 'waited' : 'too early'

// %% Output comes as it is written
for (const step of ['one', 'two', 'three']) {
  process.stdout.write(`${step} `)
  await new Promise(resolve => setTimeout(resolve, 30))
}
console.log('done')

// %% Starts a server
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
const server = createServer((request, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ path: request.url, lengths }))
})
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo
port > 0

// %% Fetches from it
const answer = await fetch(`http://127.0.0.1:${port}/lengths?top=3`)
const body = await answer.json() as { path: string; lengths: typeof lengths }
;[answer.status, body.path, body.lengths.length === lengths.length]

// %% Many requests at once
const statuses = await Promise.all(Array.from({ length: 20 }, (_, i) => fetch(`http://127.0.0.1:${port}/${i}`).then(({ status }) => status)))
new Set(statuses)

// %% Functions see what names become later
const describeLengths = () => `${greeting}: ${lengths.length} files`
greeting = 'Counted'
const counted = describeLengths()
counted.startsWith('Counted')

// %% What binds before a failure stays bound
try {
  var kept = 'still here'
  throw new RangeError('on purpose', { cause: new Error('the reason') })
} catch (error) {
  console.log(`${(error as Error).name}: ${(error as Error).message}, because of ${((error as Error).cause as Error).message}`)
}
kept

// %% Values of every kind are shown
;[new Map([['a', 1]]), new Set([1, 2]), new Date(0), 10n ** 20n, /x+/gi, Symbol('s'), new Uint8Array(4), null, undefined]

// %% Classes, private fields and generators
class Counter {
  #count = 0;
  *upTo(end: number) { while (this.#count < end) yield ++this.#count }
}
const counter = new Counter()
;[...counter.upTo(4)]

// %% What is printed is data, not commands to your terminal
console.log('\u001b[2J\u001b[31mthis clears no screen')

// %% What the notebook holds
const held = (rlm as any).names().map(({ name }: { name: string }) => name) as string[]
;['greeting', 'lengths', 'server', 'Counter'].every(name => held.includes(name))

// %% Big values go when they are forgotten
const big = new Array(1_000_000).fill(0)
const before = big.length
;(rlm as any).forget('big')
;`${before.toLocaleString('en-US')} numbers gone, typeof big is ${typeof big}`

// %% Tidies up
await new Promise(resolve => server.close(resolve))
await rm(folder, { recursive: true })
console.log('The tour is over.')
