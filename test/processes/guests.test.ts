import { describe, expect, test } from 'vitest'
import { preset as standard } from '../../presets/default.ts'
import { preset as node } from '../../presets/node.ts'
import { openEngine } from '../support/engine.ts'

for (const [name, preset] of [['bun', standard], ['node', node]] as const) {
  describe(`on ${name}`, () => {
    test('children of every kind see the live environment', async () => {
      const engine = openEngine({ preset })
      await engine.execute('process.env.LIVE = "set"; delete process.env.HOME; const cp = await import("node:child_process"); const { Worker: Thread } = await import("node:worker_threads"); const shown = "echo $LIVE[$HOME]"')
      const result = await engine.execute(`
        const said = [cp.execSync(shown).toString(), cp.spawnSync('sh', ['-c', shown]).stdout.toString(), cp.execFileSync('sh', ['-c', shown]).toString(), await $\`\${{ raw: shown }}\`.text()]
        said.push(await new Promise(resolve => cp.exec(shown, (_, out) => resolve(out))))
        said.push(await new Promise(resolve => new Thread('require("node:worker_threads").parentPort.postMessage(process.env.LIVE + "[" + (process.env.HOME ?? "") + "]\\\\n")', { eval: true }).on('message', resolve)))
        if (globalThis.Bun) said.push(await new Response(Bun.spawn(['sh', '-c', shown]).stdout).text(), Bun.spawnSync(['sh', '-c', shown]).stdout.toString())
        said`, { json: true })
      expect(new Set(result.value as string[])).toEqual(new Set(['set[]\n']))
    })

    test('a cancelled cell prints nothing more, by console, stdout, child or worker', async () => {
      const engine = openEngine({ preset })
      const stop = new AbortController()
      const chunks: string[] = []
      const running = engine.execute(`
        const { spawn } = await import('node:child_process')
        const { Worker: Thread } = await import('node:worker_threads')
        spawn('sh', ['-c', 'trap "" TERM; while true; do echo child; sleep 0.02; done'], { stdio: 'inherit' })
        new Thread('setInterval(() => console.log("worker"), 20)', { eval: true })
        setInterval(() => { console.log('console'); process.stdout.write('stdout\\n') }, 20)
        await new Promise(resolve => setTimeout(resolve, 300))
        console.log('ready')
        await new Promise(() => {})`, { signal: stop.signal, onStream: text => { chunks.push(text); if (text.includes('ready')) stop.abort() } })
      expect((await running).status).toBe('aborted')
      const told = chunks.length
      const next = await engine.execute('await new Promise(resolve => setTimeout(resolve, 1500)); console.log("mine")')
      expect(next).toMatchObject({ status: 'ok', stdout: 'mine\n', stderr: '', late: [] })
      expect(chunks.length).toBe(told)
    })

    test('a child that says more than the cap is read to its end', async () => {
      const engine = openEngine({ preset })
      const result = await engine.execute(`
        const { spawn } = await import('node:child_process')
        await new Promise(resolve => spawn('sh', ['-c', 'yes line | head -n 200000'], { stdio: ['ignore', 'inherit', 'inherit'] }).on('close', resolve))`)
      expect(result).toMatchObject({ status: 'ok', result: '0' })
      expect(result.cut?.stdout?.total).toBe(1_000_000)
    })
  })
}

test('Bun.spawn and Bun.spawnSync give inherited output to the cell, before the exit is told', async () => {
  const engine = openEngine({ preset: standard })
  const first = await engine.execute(`
    const child = Bun.spawn(['sh', '-c', 'echo out; echo err >&2'], { stdout: 'inherit', onExit: (_, code) => console.log('exit ' + code) })
    console.log([child.stdout, child.stderr].join('-'))
    await child.exited
    console.log('then')`)
  expect(first.stdout.split('\n').sort()).toEqual(['', '-', 'exit 0', 'out', 'then'])
  expect(first.stdout.indexOf('out')).toBeLessThan(first.stdout.indexOf('then'))
  expect(first.stderr).toBe('err\n')
  const second = await engine.execute('const piped = Bun.spawn({ cmd: ["sh", "-c", "echo piped; echo err >&2; cat"] }); [await new Response(piped.stdout).text(), await piped.exited, Bun.spawnSync(["sh", "-c", "echo sync; exit 2"], { stdout: "inherit" }).exitCode]', { json: true })
  expect(second).toMatchObject({ stdout: 'sync\n', stderr: 'err\n', value: ['piped\n', 0, 2] })
  expect(engine.strays).toMatchObject({ rawBytes: 0, unattributed: 0 })
})
