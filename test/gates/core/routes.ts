/** Ways to get at what the guest holds: each is a cell that gives what it found as text, or writes it to the file FILE. */
export interface Route { readonly name: string; readonly code: string; readonly guest?: 'default' | 'node'; readonly slow?: true }

const HOOKED = (target: string, names: string): string => `
  const seen = []
  const dump = value => { try { seen.push(typeof value === 'string' ? value : value instanceof Uint8Array ? Buffer.from(value).toString('hex') : JSON.stringify(value)) } catch {} }
  const target = ${target}
  const originals = {}
  for (const name of ${names}) {
    const native = target[name]
    if (typeof native !== 'function') continue
    originals[name] = native
    try { target[name] = function (...args) { dump(this); for (const each of args) dump(each); const out = Reflect.apply(native, this, args); dump(out); return out } } catch {}
  }
  console.log('print'); await tools.nope?.({}).catch(() => {}); await new Promise(r => setTimeout(r, 30)); console.log('again')
  for (const name in originals) try { target[name] = originals[name] } catch {}
  seen.join('\\n')`

export const ROUTES: readonly Route[] = [
  { name: 'process.env', code: 'JSON.stringify(process.env)' },
  { name: 'Bun.env', code: 'JSON.stringify(Bun.env)', guest: 'default' },
  { name: 'argv', code: 'JSON.stringify([process.argv, process.execArgv, process.title])' },
  { name: '/proc/self/environ', code: 'require("fs").readFileSync("/proc/self/environ", "latin1")' },
  { name: '/proc/self/cmdline', code: 'require("fs").readFileSync("/proc/self/cmdline", "latin1")' },
  { name: '/proc/self/fd', code: 'require("fs").readdirSync("/proc/self/fd").map(fd => { try { return require("fs").readlinkSync("/proc/self/fd/" + fd) } catch { return "" } }).join()' },
  { name: 'the environment of a child of child_process', code: 'require("child_process").execSync("env; cat /proc/$PPID/environ /proc/$PPID/cmdline").toString("latin1")' },
  { name: 'the environment of a spawned child', code: 'await new Promise(r => { let text = ""; const c = require("child_process").spawn("env"); c.stdout.on("data", d => { text += d }); c.on("close", () => r(text)) })' },
  { name: 'the environment of Bun.spawn', code: 'await new Response(Bun.spawn(["env"]).stdout).text()', guest: 'default' },
  { name: 'the environment of Bun.spawnSync', code: 'Bun.spawnSync(["sh", "-c", "env; cat /proc/$PPID/environ"]).stdout.toString("latin1")', guest: 'default' },
  { name: 'the environment of Bun.$', code: 'await Bun.$`env`.text()', guest: 'default' },
  { name: 'a worker', code: 'await new Promise(r => { const { Worker } = require("worker_threads"); const w = new Worker("const { parentPort, workerData } = require(\'worker_threads\'); parentPort.postMessage(JSON.stringify([process.env, process.argv, workerData]))", { eval: true }); w.on("message", m => { w.terminate(); r(m) }) })' },
  { name: 'fdinfo of the channel', code: 'require("fs").readFileSync("/proc/self/fdinfo/3", "utf8")' },
  { name: 'process.report', code: 'JSON.stringify(process.report.getReport())', guest: 'node' },
  { name: 'v8.writeHeapSnapshot', code: 'require("v8").writeHeapSnapshot(FILE); ""', guest: 'node', slow: true },
  { name: 'v8.getHeapSnapshot', code: 'const out = require("fs").createWriteStream(FILE); require("v8").getHeapSnapshot().pipe(out); await new Promise(r => out.on("close", r)); ""', guest: 'node', slow: true },
  { name: 'Bun.generateHeapSnapshot', code: 'require("fs").writeFileSync(FILE, JSON.stringify(Bun.generateHeapSnapshot())); ""', guest: 'default' },
  { name: 'Bun.generateHeapSnapshot for v8', code: 'require("fs").writeFileSync(FILE, Bun.generateHeapSnapshot("v8")); ""', guest: 'default' },
  { name: 'generateHeapSnapshotForDebugging', code: 'const { generateHeapSnapshotForDebugging } = await import("bun:jsc"); require("fs").writeFileSync(FILE, JSON.stringify(generateHeapSnapshotForDebugging())); ""', guest: 'default' },
  { name: 'inspect of every global', code: 'const { inspect } = require("util"); Reflect.ownKeys(globalThis).map(key => { try { return inspect(globalThis[key], { depth: 3, showHidden: true }) } catch { return "" } }).join()' },
  { name: 'inspect of the handles', code: 'require("util").inspect([rlm, tools], { depth: 6, showHidden: true, showProxy: true })' },
  { name: 'the require cache', code: 'require("util").inspect(require.cache, { depth: 4, showHidden: true })' },
  { name: 'the source of every function in a stack', code: 'const sites = []; const hook = Error.prepareStackTrace; Error.prepareStackTrace = (_, frames) => frames; const frames = new Error("x").stack; Error.prepareStackTrace = hook; if (Array.isArray(frames)) for (const f of frames) try { sites.push(String(f.getFunction?.()), String(f.getThis?.()), JSON.stringify(f.getFunction?.()?.arguments ?? null)) } catch {} sites.join()' },
  { name: 'callers and their arguments', code: 'const text = []; try { for (let f = (function () { return arguments.callee?.caller }).call(null), i = 0; f && i < 20; f = f.caller, i++) text.push(String(f), JSON.stringify(f.arguments)) } catch {} text.join()' },
  { name: 'JSON hooked', code: HOOKED('JSON', '["stringify", "parse"]') },
  { name: 'Buffer hooked', code: HOOKED('Buffer', '["from", "alloc", "concat", "byteLength", "allocUnsafe"]') },
  { name: 'String methods hooked', code: HOOKED('String.prototype', '["slice", "includes", "split", "charCodeAt", "substring", "padStart", "replace"]') },
  { name: 'typed array methods hooked', code: HOOKED('Object.getPrototypeOf(Uint8Array.prototype)', '["subarray", "set", "slice", "fill", "copyWithin"]') },
  { name: 'TextEncoder hooked', code: HOOKED('TextEncoder.prototype', '["encode", "encodeInto"]') },
  { name: 'TextDecoder hooked', code: HOOKED('TextDecoder.prototype', '["decode"]') },
  { name: 'Array methods hooked', code: HOOKED('Array.prototype', '["join", "concat", "map", "fill", "forEach"]') },
  { name: 'Map hooked', code: HOOKED('Map.prototype', '["get", "set", "has"]') },
  { name: 'Reflect and Function hooked', code: HOOKED('Reflect', '["construct", "get", "ownKeys"]') },
  { name: 'Math hooked', code: HOOKED('Math', '["imul", "floor", "random", "cbrt"]') },
  { name: 'fs hooked', code: `const fs = require('fs'); ${HOOKED('fs', '["writeSync", "readSync", "read", "write"]')}` },
  { name: 'fs hooked and re-exported', code: `require('module').syncBuiltinESMExports(); ${HOOKED('require("fs")', '["writeSync", "readSync", "read", "write"]').replace('console.log(\'print\')', 'require("module").syncBuiltinESMExports(); console.log("print")')}` },
  { name: 'crypto hooked', code: HOOKED('require("crypto")', '["createHmac", "createHash", "randomBytes"]') },
  { name: 'Hmac hooked', code: HOOKED('require("crypto").Hmac.prototype', '["update", "digest"]') },
  { name: 'net.Socket hooked', code: HOOKED('require("net").Socket.prototype', '["write", "read", "push", "on", "resume"]') },
  { name: 'Readable hooked', code: HOOKED('require("stream").Readable.prototype', '["push", "read"]') },
  { name: 'EventEmitter hooked', code: HOOKED('require("events").prototype', '["emit", "on"]') },
  { name: 'active handles', code: 'require("util").inspect(process._getActiveHandles?.() ?? [], { depth: 6, showHidden: true })' },
  { name: 'envelope fields planted', code: `const seen = []; for (const key of ['seq', 'mac', 'key', 'cell', 'type', 'text', 'toJSON']) Object.defineProperty(Object.prototype, key, { configurable: true, get() { seen.push(this instanceof Uint8Array ? Buffer.from(this).toString('hex') : ''); return undefined }, set(v) { seen.push(String(v)) } }); console.log('planted'); await null; for (const key of ['seq', 'mac', 'key', 'cell', 'type', 'text', 'toJSON']) delete Object.prototype[key]; seen.join()` },
  { name: 'importing the guest\'s own modules', code: `const path = require('path'); const fs = require('fs'); const main = process.argv[1]; const out = []; const dir = path.dirname(main); for (const file of ['main.js', 'channel/sender.js', 'channel/mac.js']) { try { const m = await import(path.join(dir, file)); out.push(require('util').inspect(m, { depth: 5, showHidden: true })); out.push(String(m.takeKey?.())) } catch (error) { out.push(String(error.message)) } } out.join()` },
  { name: 'the inspector of a worker', code: `await new Promise(r => { const { Worker } = require('worker_threads'); const w = new Worker(\`const { parentPort } = require('worker_threads'); try { const { Session } = require('inspector'); const s = new Session(); s.connectToMainThread(); parentPort.postMessage('connected') } catch (error) { parentPort.postMessage(String(error.message)) }\`, { eval: true }); w.on('message', m => { w.terminate(); r(m) }); w.on('error', e => r(String(e))) })`, guest: 'node' },
]
