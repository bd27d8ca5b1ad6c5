import { expect } from 'vitest'
import type { ContractCase } from './case.ts'

const cases: readonly ContractCase[] = [
  {
    title: 'gives the inherited output of a child to the cell that started it, to the last byte, before the child\'s exit is told',
    why: 'a command\'s last lines are where its error stands',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      await notebook.execute('const { spawn, spawnSync, execSync } = await import("node:child_process")')
      for (const ends of ['exit', 'close']) {
        const result = await notebook.execute(`
          const child = spawn('sh', ['-c', 'head -c 200000 /dev/zero | tr "\\\\0" a; echo; echo problem >&2; printf end'], { stdio: 'inherit' })
          await new Promise(resolve => child.on('${ends}', resolve))
          console.log(' then the cell')
          child.stdout`, { maxOutputChars: 500_000 })
        expect(result.result).toBe('null')
        expect(result.stdout).toMatch(/^a+\nend then the cell\n$/)
        expect(result.stdout.length).toBe(200_019)
        expect(result.stderr).toBe('problem\n')
      }
      const sync = await notebook.execute('spawnSync("sh", ["-c", "echo one; echo two >&2; sleep 300 & exit 3"], { stdio: "inherit" }).status')
      expect(sync).toMatchObject({ stdout: 'one\n', stderr: 'two\n', result: '3' })
    },
  },
  {
    title: 'puts characters of a child together that arrive in pieces, and shows a cut tail once',
    why: 'half characters are nobody\'s text',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      const script = String.raw`printf 'na\303'; sleep 0.1; printf '\257ve \342\230'; sleep 0.1; printf '\202\360\237'`
      const result = await notebook.execute(`
        const { spawn } = await import('node:child_process')
        await new Promise(resolve => spawn('sh', ['-c', ${JSON.stringify(script)}], { stdio: ['ignore', 'inherit', 'inherit'] }).on('close', resolve))
        await new Promise(resolve => setTimeout(resolve, 50))`)
      expect(result.stdout).toBe('naïve ☂\ufffd')
    },
  },
  {
    title: 'shows children the end of their input, the live environment, and never the channel',
    why: 'a child that waits for a terminal nobody has would hang the cell',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      await notebook.execute('const { spawnSync, execSync, exec, spawn } = await import("node:child_process"); process.env.LIVE_VALUE = "now"; delete process.env.HOME')
      expect(await notebook.execute('const inherited = spawnSync("cat", [], { stdio: ["inherit", "pipe", "pipe"] }); [inherited.status, inherited.stdout.toString(), execSync("cat").toString()].join()')).toMatchObject({ result: '\'0,,\'' })
      expect(await notebook.execute('await new Promise(resolve => exec("cat; echo $LIVE_VALUE [$HOME]", (_, out) => resolve(out)))')).toMatchObject({ result: '\'now []\\n\'' })
      const open = 'ls -l /proc/self/fd 2>/dev/null | grep -c socket; echo none >&3 || true'
      const passed = await notebook.execute(`const child = spawn('sh', ['-c', ${JSON.stringify(open)}], { stdio: ['ignore', 'pipe', 'ignore', 3] }); let text = ''; child.stdout.on('data', data => { text += data }); await new Promise(resolve => child.on('close', resolve)); text.trim()`)
      expect(passed.status).toBe('ok')
      expect(notebook.strays.rejectedLines).toBe(0)
    },
  },
  {
    title: 'does not wait for a background child that holds the output',
    why: 'a server started in a cell must not hold the cell',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      const result = await notebook.execute('const { spawn } = await import("node:child_process"); spawn("sleep", ["30"], { stdio: ["ignore", "inherit", "inherit"], detached: true }).unref(); "launched"')
      expect(result).toMatchObject({ status: 'ok', result: '\'launched\'' })
      expect(await notebook.execute('await new Promise(resolve => spawn("sh", ["-c", "sleep 30 & echo up"], { stdio: "inherit" }).on("close", resolve))')).toMatchObject({ status: 'ok', stdout: 'up\n' })
    },
  },
]
export default cases
