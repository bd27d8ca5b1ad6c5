// A stand-in for an agent: the prompt comes on stdin, its first line may be `#op {"op": …}`; the answer goes to stdout.
import { spawn } from 'node:child_process'
import { readFileSync, writeSync } from 'node:fs'

const prompt = readFileSync(0, 'utf8')
const newline = prompt.indexOf('\n')
const head = newline < 0 ? prompt : prompt.slice(0, newline)
const body = newline < 0 ? '' : prompt.slice(newline + 1)
const op = head.startsWith('#op ') ? JSON.parse(head.slice(4)) : { op: 'echo' }

const forever = () => setInterval(() => {}, 1e6)
const write = (fd, data) => {
  const bytes = Buffer.from(data)
  for (let at = 0; at < bytes.length;) {
    try { at += writeSync(fd, bytes, at) } catch (cause) { if (cause.code !== 'EAGAIN') throw cause }
  }
}
const say = data => write(1, typeof data === 'string' || Buffer.isBuffer(data) ? data : JSON.stringify(data))
const grandchild = options => spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], options)

const ops = {
  echo: () => say(prompt),
  say: () => say(op.text),
  json: () => say(op.value),
  count: () => say({ records: body.split('\n').filter(Boolean).length, ...Object.fromEntries(op.words.map(word => [word, body.split(word).length - 1])) }),
  once: () => say(op.text),
  sleep: () => setTimeout(() => say(op.text ?? 'slept'), op.ms),
  hang: forever,
  header: () => { say('header only\n'); forever() },
  deaf: () => { for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => {}); say('deaf'); forever() },
  deafParent: () => { process.on('SIGTERM', () => {}); const child = grandchild({ stdio: 'ignore' }); say({ grandchild: child.pid }); forever() },
  spin: () => { for (;;) ; },
  crash: () => { write(2, op.stderr ?? 'boom: the provider refused\n'); process.exit(op.code ?? 3) },
  explain: () => { say('here is why I stopped'); write(2, 'cannot go on\n'); process.exit(1) },
  selfkill: () => process.kill(process.pid, op.signal ?? 'SIGKILL'),
  partial: () => { say('half of the ans'); process.kill(process.pid, 'SIGKILL') },
  silent: () => process.exit(0),
  big: () => { const block = Buffer.alloc(1 << 20, 'x'); for (let n = 0; n < op.mb; n++) write(1, block) },
  noise: () => { write(2, 'Warning: deprecated setting\n'.repeat(op.lines ?? 100)); say('the answer') },
  bytes: () => say(Buffer.from([0xff, 0xfe, 0x00, 0x1b, 0x5b, 0x33, 0x31, 0x6d, 0x41, 0xed, 0xa0, 0x80])),
  orphan: () => { const child = grandchild({ stdio: op.inherit ? 'inherit' : 'ignore', detached: op.detached === true }); child.unref(); say({ grandchild: child.pid }); if (!op.exit) forever(); else process.exit(0) },
  env: () => say(Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith(op.prefix)))),
  where: () => say({ cwd: process.cwd(), argv: process.argv.slice(2), pid: process.pid }),
  events: () => { for (const event of op.events) { if (event.exit !== undefined) process.exit(event.exit); if (event.sleep !== undefined) continue; write(1, JSON.stringify(event) + '\n') } if (op.hang) forever() },
  flaky: () => { const seen = (() => { try { return readFileSync(op.file, 'utf8') } catch { return '' } })(); write(2, ''); import('node:fs').then(fs => { fs.writeFileSync(op.file, seen + 'x'); if (seen.length < op.failures) { write(2, op.stderr); process.exit(1) } say(`answered at try ${seen.length + 1}`) }) },
}
const run = ops[op.op]
if (run === undefined) { write(2, `no op ${op.op}\n`); process.exit(2) }
run()
