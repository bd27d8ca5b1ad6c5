import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'vitest'
import { definePreset, type Preset } from '../../../kernel/index.ts'
import { bun } from '../../../plugins/runtimes/bun.ts'
import { node } from '../../../plugins/runtimes/node.ts'
import { census } from '../../../kernel/processes.ts'
import { until } from '../../support/engine.ts'
import { type Scenarios, stillWorks } from '../fault.ts'

/** The preset with a guest that runs under a limit of the shell's `ulimit`. */
async function limited(preset: Preset, folder: string, limit: string, more: readonly string[] = []): Promise<Preset> {
  const { command } = await preset.runtime.plan({ cwd: folder, env: process.env as Record<string, string> })
  const path = join(folder, 'limited')
  writeFileSync(path, `#!/bin/sh\n${limit}\nexec '${command}' ${more.join(' ')} "$@"\n`)
  chmodSync(path, 0o755)
  return definePreset({ ...preset, runtime: preset.runtime.name === 'bun' ? bun({ path }) : node({ path }) })
}

export default {
  async 'RT-01'({ engine, folder }) {
    const place = folder()
    const file = join(place, 'edited.mjs')
    const notebook = engine({ cwd: place })
    const write = (n: number): void => { writeFileSync(join(place, 'inner.mjs'), `export const inner = ${n}`); writeFileSync(file, `import { inner } from './inner.mjs'; export const value = inner * 10`) }
    for (const n of [1, 2, 3]) {
      write(n)
      expect(await notebook.execute('(await import("./edited.mjs")).value'), `edit ${n}`).toMatchObject({ status: 'ok', result: `${n * 10}` })
      expect((await notebook.execute(`(await import(${JSON.stringify(pathToFileURL(file).href)})).value`)).result, `edit ${n} by URL`).toBe(`${n * 10}`)
      expect((await notebook.execute(`(await import("./edited.mjs?n=${n}")).value`)).result, `edit ${n} with a query`).toBe(`${n * 10}`)
    }
  },

  async 'RT-02'({ preset, engine }) {
    const notebook = engine()
    await notebook.execute('process.env.FRESH = "set by a cell"; process.env.GONE = "x"; delete process.env.GONE')
    const ways = [
      'require("child_process").execSync("echo $FRESH/$GONE").toString().trim()',
      'await new Promise(r => { let text = ""; const c = require("child_process").spawn("sh", ["-c", "echo $FRESH/$GONE"]); c.stdout.on("data", d => { text += d }); c.on("close", () => r(text.trim())) })',
      'await new Promise(r => { const { Worker } = require("worker_threads"); const w = new Worker("require(\'worker_threads\').parentPort.postMessage((process.env.FRESH ?? \'\') + \'/\' + (process.env.GONE ?? \'\'))", { eval: true }); w.on("message", m => { w.terminate(); r(m) }) })',
      ...preset.name === 'default' ? ['(await new Response(Bun.spawn(["sh", "-c", "echo $FRESH/$GONE"]).stdout).text()).trim()', '(await Bun.$`sh -c ${"echo $FRESH/$GONE"}`.text()).trim()'] : [],
    ]
    for (const way of ways) expect(await notebook.execute(way), way).toMatchObject({ status: 'ok', result: '\'set by a cell/\'' })
  },

  async 'RT-05'({ preset, supervisor, folder }) {
    const place = folder()
    // bun reserves far more address space than it uses: there the data segment is what is limited.
    const small = await limited(preset, place, preset.runtime.name === 'bun' ? 'ulimit -d 700000' : '', preset.runtime.name === 'bun' ? [] : ['--max-old-space-size=128'])
    const notebook = supervisor({ preset: small, snapshot: { path: join(place, 'state') } })
    await notebook.execute('let kept = { ok: true }')
    await notebook.snapshotState()
    const before = process.memoryUsage().rss
    const hog = await notebook.execute('const hog = []; for (;;) hog.push(new Array(200_000).fill(hog.length + 0.5))', { timeoutMs: 60_000 }).then(
      result => `${result.error?.name}: ${result.error?.message}`, (error: unknown) => (error as Error).message)
    expect(hog).toMatch(/memory|signal SIG|exit code/i)
    expect(process.memoryUsage().rss - before).toBeLessThan(64 << 20)
    // A guest that could refuse the allocation is still there, at its limit, and may end at whatever it does next.
    const kept = await notebook.execute('kept.ok').catch(() => notebook.execute('kept.ok'))
    expect(kept).toMatchObject({ status: 'ok', result: 'true' })
  },

  async 'RT-06'({ preset, engine, folder }) {
    const place = folder()
    const notebook = engine({ preset: await limited(preset, place, 'ulimit -n 64') })
    const exhausted = await notebook.execute(`
      const fs = require('fs')
      globalThis.held = []
      let code = ''
      try { for (;;) held.push(fs.openSync('/dev/null')) } catch (error) { code = error.code }
      let spawned = 'spawned'
      try { require('child_process').execSync('true') } catch (error) { spawned = String(error.code ?? error.message) }
      console.log('x'.repeat(200_000));
      [code, spawned]`, { json: true })
    expect(exhausted.status).toBe('ok')
    expect((exhausted.value as string[])[0]).toBe('EMFILE')
    expect((exhausted.value as string[])[1]).not.toBe('spawned')
    expect(exhausted.stdout).toContain('xxx')
    await stillWorks(notebook)
    expect(await notebook.execute('for (const fd of held) fs.closeSync(fd); require("child_process").execSync("echo back").toString()')).toMatchObject({ status: 'ok', result: '\'back\\n\'' })
  },

  async 'RT-03'({ engine, preset, folder }) {
    const notebook = engine({ cwd: folder() })
    const $ = preset.name === 'default' ? 'Bun.$' : '$'
    for (const nothing of ['undefined', 'null', '["a", undefined]']) {
      expect(await notebook.execute(`await ${$}\`echo \${${nothing}}\``), nothing).toMatchObject({ status: 'error', stdout: '', error: { name: 'TypeError', message: expect.stringContaining('interpolation 1') as string } })
    }
    for (const refused of ['{ a: 1 }', '"a\\0b"', '() => 1']) expect((await notebook.execute(`await ${$}\`echo \${${refused}}\``)).status, refused).toBe('error')
    const exact = await notebook.execute(`await ${$}\`printf '<%s>' \${''} \${'é'} \${['a b', '*']} \${'-rf'} \${'*.ts'} \${'$HOME'}\`.text()`)
    expect(exact).toMatchObject({ status: 'ok', result: "'<><é><a b><*><-rf><*.ts><$HOME>'" })
    expect(await notebook.execute(`(await ${$}\`wc -c < \${Buffer.alloc(10_000_000)}\`.text()).trim()`)).toMatchObject({ result: "'10000000'" })
    expect(await notebook.execute(`[await ${$}\`cat\`.text(), await ${$}\`read line; echo "<$line>"\`.nothrow().text()]`, { json: true, timeoutMs: 60_000 })).toMatchObject({ status: 'ok', value: ['', '<>\n'] })
    const stop = new AbortController()
    const endless = notebook.execute(`await ${$}\`echo begun; tail -f /dev/null\``, { signal: stop.signal, onStream: () => { stop.abort() } })
    expect(await endless).toMatchObject({ status: 'aborted', stdout: 'begun\n' })
    await until('the endless command is gone', async () => (await census({ tag: notebook.processTag })).length === 0)
    await stillWorks(notebook)
  },

  async 'RT-07'({ engine }) {
    const notebook = engine()
    const result = await notebook.execute('process.env.TMPDIR = "/not/there"; require("child_process").execSync("echo from a child", { stdio: "inherit" }); console.log("x".repeat(100_000))')
    expect(result).toMatchObject({ status: 'ok', stdout: expect.stringMatching(/^from a child\nxxx/) as string })
    await stillWorks(notebook)
  },
} satisfies Scenarios
