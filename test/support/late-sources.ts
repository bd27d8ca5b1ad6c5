/** How often each source prints. */
export const PRINTS = 5

/** Every way in which code of a cell can run after the cell's end, each printing `source 0` to `source 4`. */
const SOURCES: Readonly<Record<string, string>> = {
  timer: 'times(i => setTimeout(() => say("timer", i), 20 * i))',
  interval: '{ let i = 0; const id = setInterval(() => { say("interval", i++); if (i === PRINTS) clearInterval(id) }, 15) }',
  immediate: 'times(i => setTimeout(() => setImmediate(() => say("immediate", i)), 15 * i))',
  microtask: 'times(i => setTimeout(() => queueMicrotask(() => say("microtask", i)), 15 * i))',
  nextTick: 'times(i => setTimeout(() => process.nextTick(() => say("nextTick", i)), 15 * i))',
  then: 'released.then(() => times(i => say("then", i)))',
  'for-await': '(async () => { let i = 0; for await (const _ of ticks()) say("for-await", i++) })()',
  emitter: 'emitter.on("tick", i => say("emitter", i))',
  'stream data': '{ let i = 0; stream.on("data", () => say("stream data", i++)) }',
  'child stdout': 'spawn("sh", ["-c", "for i in 0 1 2 3 4; do sleep 0.03; echo child stdout $i; done"], { stdio: "inherit" })',
  'child exit': 'times(i => spawn("sh", ["-c", "sleep 0.0" + i]).on("exit", () => say("child exit", i)))',
  fetch: 'times(i => setTimeout(() => fetch("http://127.0.0.1:" + server.address().port).then(() => say("fetch", i)), 20 * i))',
  MessageChannel: 'channel.port2.onmessage = ({ data }) => say("MessageChannel", data)',
  'Worker message': 'worker.on("message", i => say("Worker message", i))',
  'Worker console': 'worker.postMessage("start")',
  'AbortSignal.timeout': 'times(i => AbortSignal.timeout(10 + 20 * i).addEventListener("abort", () => say("AbortSignal.timeout", i)))',
  'unhandled rejection': 'times(i => setTimeout(() => { Promise.reject(new Error("unhandled rejection " + i)) }, 20 * i))',
}

/** The cell that starts every source and ends at once. Others fire the emitter, the stream and the channel. */
export const START = `
  const { spawn } = await import('node:child_process')
  const { EventEmitter } = await import('node:events')
  const { createServer } = await import('node:http')
  const { PassThrough } = await import('node:stream')
  const { Worker: Thread } = await import('node:worker_threads')
  const PRINTS = ${PRINTS}
  const times = work => { for (let i = 0; i < PRINTS; i++) work(i) }
  const say = (source, i) => console.log(source + ' ' + i)
  let release
  const released = new Promise(resolve => { release = resolve })
  const ticks = async function* () { for (let i = 0; i < PRINTS; i++) { await new Promise(resolve => setTimeout(resolve, 15)); yield i } }
  const emitter = new EventEmitter()
  const stream = new PassThrough()
  const channel = new MessageChannel()
  const server = createServer((_, response) => { response.end('ok') })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  const worker = new Thread(\`const { parentPort } = require('node:worker_threads'); parentPort.on('message', () => {
    for (let i = 0; i < ${PRINTS}; i++) { parentPort.postMessage(i); console.log('Worker console ' + i) }
  })\`, { eval: true })
  ${Object.values(SOURCES).join(';\n  ')};
  'started'`

/** Cells that run while the sources fire, and fire some of them. */
export const LATER: readonly string[] = [
  'await new Promise(resolve => setTimeout(resolve, 60)); release(); console.log("second"); console.error("second")',
  'for (let i = 0; i < PRINTS; i++) { await new Promise(resolve => setTimeout(resolve, 15)); emitter.emit("tick", i); stream.write("x"); channel.port1.postMessage(i) } console.log("third"); console.error("third")',
  'await new Promise(resolve => setTimeout(resolve, 60)); console.log("fourth"); console.error("fourth")',
]

/** Every line the sources say, sorted. */
export const EXPECTED: readonly string[] = Object.keys(SOURCES).flatMap(source => Array.from({ length: PRINTS }, (_, i) => `${source} ${i}`)).sort()

/** The lines of the sources in a text, sorted; a rejection's line is what it says. */
export function linesOf(text: string): string[] {
  const pattern = new RegExp(`(${Object.keys(SOURCES).join('|').replaceAll('.', '\\.')}) \\d`)
  return text.split('\n').map(line => pattern.exec(line)?.[0]).filter(line => line !== undefined).sort()
}
