import { monitorEventLoopDelay } from 'node:perf_hooks'
import { expect } from 'vitest'
import { plain } from '../../../presets/cli/plain.ts'
import { clean } from '../../../presets/pi/view/clean.ts'
import { type Scenarios, stillWorks } from '../fault.ts'

/** No terminal may be reached by what a person is shown: C0 but newline and tab, DEL, C1. */
const CONTROL = /[\0-\x08\x0b-\x1f\x7f-\x9f]/
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

export default {
  async 'AT-03'({ engine }) {
    const notebook = engine()
    const split = await notebook.execute(`
      const bytes = Buffer.from('a🙂é\\u0301b')
      for (const byte of bytes) { process.stdout.write(Buffer.from([byte])); await null }
      process.stderr.write(Buffer.from([0x66, 0xff, 0x00, 0x67])); process.stderr.write(Buffer.from([0xf0, 0x9f]))`)
    expect(split).toMatchObject({ status: 'ok', stdout: 'a🙂é\u0301b', stderr: 'f\ufffd\0g\ufffd' })
    for (const shift of [0, 1]) {
      const capped = await notebook.execute(`console.log('${'x'.repeat(shift)}' + '🙂'.repeat(60_000)); '${'y'.repeat(shift)}' + '👩‍👩‍👧'.repeat(20_000)`)
      expect(capped.cut?.stdout?.total).toBe(120_001 + shift)
      for (const text of [capped.stdout, capped.result ?? '']) {
        expect(text.length).toBeGreaterThan(20_000)
        expect(LONE_SURROGATE.test(text)).toBe(false)
      }
    }
    expect((await notebook.execute('console.log("\\ud83d" + "|" + "\\ude42"); "\\udc00"')).stdout).toBe('\ufffd|\ufffd\n')
  },

  async 'AT-09'({ engine, preset, folder }) {
    const notebook = engine({ cwd: folder() })
    await notebook.execute('const fs = (await import("node:fs")).default; const cp = (await import("node:child_process")).default')
    const forms = ['"/dev/stdout"', '"/dev/fd/1"', '"/proc/self/fd/1"', '`/proc/${process.pid}/fd/1`', 'Buffer.from("/dev/stdout")', 'new URL("file:///dev/stdout")']
    const ways = forms.map(path => `fs.writeFileSync(${path}, 'said')`).concat([
      'fs.appendFileSync("/dev/stdout", Buffer.from("said"))', 'await fs.promises.writeFile("/dev/stdout", "said")', 'await fs.promises.appendFile("/dev/stdout", "said")',
      'await new Promise((ok, no) => fs.writeFile("/dev/stdout", "said", error => error ? no(error) : ok()))', 'await new Promise((ok, no) => fs.appendFile("/dev/stdout", "said", error => error ? no(error) : ok()))',
      'const fd = fs.openSync("/dev/stdout", "a"); fs.writeSync(fd, "sa"); fs.writevSync(fd, [Buffer.from("i"), Buffer.from("d")]); fs.closeSync(fd)',
      'await new Promise((ok, no) => fs.open("/dev/stdout", "w", (error, fd) => error ? no(error) : fs.write(fd, "said", () => fs.close(fd, ok))))',
      'const handle = await fs.promises.open("/dev/stdout", "w"); await handle.write("s"); await handle.writev([Buffer.from("a")]); await handle.writeFile("i"); await handle.appendFile("d"); await handle.close()',
      'await new Promise((ok, no) => fs.createWriteStream("/dev/stdout").on("error", no).end("said", ok))',
      'await (await import("node:stream/promises")).pipeline(["sa", "id"], fs.createWriteStream("/dev/stdout", { flags: "a" }))',
      'const held = fs.openSync("/dev/stdout", "w"); cp.execSync("printf said", { stdio: ["ignore", held, held] }); fs.closeSync(held)',
      ...preset.runtime.name === 'bun' ? ['await Bun.write("/dev/stdout", "said")', 'await Bun.write(Bun.file("/dev/stdout"), "said")', 'await Bun.file("/dev/stdout").write("said")', 'const w = Bun.file("/dev/stdout").writer(); w.write("said"); await w.end()'] : [],
    ])
    for (const way of ways) {
      expect(await notebook.execute(`{ ${way} }`), way).toMatchObject({ status: 'ok', stdout: 'said', stderr: '', notices: [] })
      expect(await notebook.execute(`{ ${way.replaceAll('stdout', 'stderr').replaceAll('fd/1', 'fd/2')} }`), way).toMatchObject({ status: 'ok', stdout: '', stderr: 'said', notices: [] })
    }
    // The number is a file's again.
    expect(await notebook.execute('fs.closeSync(fs.openSync("/dev/stdout", "w")); const file = fs.openSync("own.txt", "w"); fs.writeSync(file, "filed"); fs.closeSync(file); fs.readFileSync("own.txt", "utf8")')).toMatchObject({ status: 'ok', stdout: '', result: '\'filed\'' })
  },

  async 'AT-04'({ engine }) {
    const notebook = engine()
    const sequences = ['\u001b]52;c;Y2xpcA==\u0007', '\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', '\u001b]0;title\u0007', '\u001b[2J\u001b[H', '\u001b[10A', '\u0007', '\u009b31m', '\u009d0;t\u009c', '\r', '\u0008']
    const { stdout } = await notebook.execute(`for (const text of ${JSON.stringify(sequences)}) console.log('before' + text + 'after')`)
    // The result keeps what the cell wrote; those who show it to people neutralise it.
    expect(stdout).toBe(sequences.map(text => `before${text}after\n`).join(''))
    for (const shown of [plain(stdout), clean(stdout)]) {
      expect(CONTROL.test(shown)).toBe(false)
      expect(shown.split('\n')).toHaveLength(sequences.length + 1)
      expect(shown).toContain('after')
    }
  },

  async 'AT-05'({ engine }) {
    const notebook = engine()
    await notebook.execute('1')
    const floods: readonly (readonly [string, number, number])[] = [
      ['for (let i = 0; i < 200_000; i++) console.log("line " + i)', 2_288_890, 0],
      [`const { spawn } = await import('node:child_process')
        await new Promise(r => spawn('sh', ['-c', 'head -c 60000000 /dev/zero | tr "\\\\0" y'], { stdio: ['ignore', 'inherit', 'inherit'] }).on('exit', r))`, 60_000_000, 0],
      ['for (let i = 0; i < 20_000; i++) process.stdout.write("z")', 20_000, 0],
      ['for (let i = 0; i < 50_000; i++) { process.stdout.write("out\\n"); process.stderr.write("err\\n") }', 200_000, 200_000],
    ]
    for (const [code, stdout, stderr] of floods) {
      let views = 0
      let largest = 0
      const before = process.memoryUsage().rss
      const delay = monitorEventLoopDelay({ resolution: 5 })
      delay.enable()
      const result = await notebook.execute(code, { onStream: text => { views += text.length; largest = Math.max(largest, text.length) } })
      delay.disable()
      expect(result.status, code).toBe('ok')
      expect(result.cut?.stdout?.total ?? result.stdout.length, code).toBe(stdout)
      expect(result.cut?.stderr?.total ?? result.stderr.length, code).toBe(stderr)
      expect(result.stdout.length + result.stderr.length).toBeLessThan(45_000)
      expect(views).toBeLessThan(45_000)
      expect(largest).toBeLessThan(32_000)
      expect(process.memoryUsage().rss - before).toBeLessThan(64 << 20)
      // The bar is 50 ms; a busy machine alone can stall a process for longer than that.
      expect(delay.percentile(90) / 1e6, code).toBeLessThan(250)
    }
    await stillWorks(notebook)
  },

  async 'AT-07'({ engine }) {
    const notebook = engine()
    for (let round = 0; round < 4; round++) {
      const result = await notebook.execute(`
        const { spawn } = await import('node:child_process')
        const child = spawn('sh', ['-c', 'head -c 1000000 /dev/zero | tr "\\\\0" ${round}'], { stdio: ['ignore', 'inherit', 'ignore'] })
        await new Promise(r => child.on('exit', r))
        'over ${round}'`, { maxOutputChars: 2_000_000 })
      expect(result).toMatchObject({ status: 'ok', result: `'over ${round}'` })
      expect(result.stdout.length).toBe(1_000_000)
      expect(await notebook.execute('"next"')).toMatchObject({ stdout: '', late: [] })
    }
  },

  async 'AT-08'({ engine, preset }) {
    const notebook = engine()
    await notebook.execute('const fs = require("fs"), util = require("util"); const bytes = text => Buffer.from(text)')
    const ways = [
      'fs.writevSync(1, [bytes("X"), bytes("\\n")])', 'await new Promise(done => fs.writev(1, [bytes("X"), bytes("\\n")], done))',
      'fs.writeFileSync(1, "X\\n"); fs.appendFileSync(1, "")', 'await new Promise(done => fs.writeFile(1, "X\\n", done))', 'await new Promise(done => fs.appendFile(1, "580a", "hex", done))',
      '(await util.promisify(fs.write)(1, "X\\n")).bytesWritten === 2 || console.log("other answer")',
      '(await util.promisify(fs.writev)(1, [bytes("X\\n")])).bytesWritten === 2 || console.log("other answer")',
      'await new Promise(done => { const to = fs.createWriteStream(null, { fd: 1, autoClose: false }); to.cork(); to.write("X"); to.write("\\n"); to.end(done) })',
      'process.stdout._write(bytes("X\\n"), "buffer", () => {})', 'process.stdout.end("X\\n")',
      ...preset.name === 'default'
        ? ['await fs.promises.writeFile(1, "X\\n")', 'await fs.promises.appendFile(1, bytes("X\\n"))', 'await Bun.write(Bun.file(1), "X\\n")', '{ const to = Bun.file(1).writer(); to.write("X\\n"); await to.end() }']
        : [],
    ]
    for (const way of ways) expect(await notebook.execute(`${way}; await new Promise(done => setTimeout(done, 20))`), way).toMatchObject({ status: 'ok', stdout: 'X\n', stderr: '' })
    if (preset.name === 'node') expect(await notebook.execute('process._rawDebug("said %d", 5)')).toMatchObject({ stderr: 'said 5\n' })
    expect(notebook.strays).toMatchObject({ rawBytes: 0, unattributed: 0 })
    expect(await notebook.execute(`fs.writevSync(fs.openSync('/dev/null', 'w'), [bytes('abc')])`)).toMatchObject({ result: '3', stdout: '' })
  },
} satisfies Scenarios
