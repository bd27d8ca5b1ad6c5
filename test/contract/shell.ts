import { expect } from 'vitest'
import { pause, until } from '../support/engine.ts'
import { census } from '../../kernel/processes.ts'
import type { ContractCase } from './case.ts'

const cases: readonly ContractCase[] = [
  {
    title: 'gives what a shell command left as values, and its output to the cell',
    why: 'an exit code one must parse out of text is no exit code',
    needs: ['shell'],
    async run({ engine }) {
      const notebook = engine()
      const result = await notebook.execute('const done = await Bun.$`echo out; echo err >&2; exit 3`.nothrow(); [done.exitCode, done.stdout.toString(), done.stderr.toString(), done.text()]', { json: true })
      expect(result).toMatchObject({ stdout: 'out\n', stderr: 'err\n', value: [3, 'out\n', 'err\n', 'out\n'] })
      const quiet = await notebook.execute('[await $`echo a b`.text(), await $`echo \'{"n":1}\'`.json(), (await $`echo silent`.quiet()).exitCode, await (async () => { const all = []; for await (const line of $`printf "x\\ny\\n"`.lines()) all.push(line); return all })()]', { json: true })
      expect(quiet).toMatchObject({ stdout: '', value: ['a b\n', { n: 1 }, 0, ['x', 'y']] })
      expect(await notebook.execute('[await $`pwd`.cwd("/").text(), await $`echo $GIVEN`.env({ ...process.env, GIVEN: "yes" }).text()]', { json: true })).toMatchObject({ value: ['/\n', 'yes\n'] })
    },
  },
  {
    title: 'refuses null and undefined in a command by their number, before anything runs',
    why: '`rm -rf ${folder}/` with a folder that is undefined must not reach a shell',
    needs: ['shell'],
    async run({ engine }) {
      const notebook = engine()
      const refusals = { '$`echo ${"a"} ${undefined}`': 'interpolation 2', 'Bun.$`echo ${null}`': 'interpolation 1', '$`echo ${["a", undefined]}`': 'element 2', '$`echo ${{}}`': 'interpolation 1', '$`echo ${"a\\0b"}`': 'NUL' }
      for (const [command, message] of Object.entries(refusals)) {
        expect(await notebook.execute(command), command).toMatchObject({ status: 'error', error: { name: 'TypeError', message: expect.stringContaining(message) as string } })
      }
    },
  },
  {
    title: 'passes every value to the command exactly, in quotes and outside',
    why: 'a file name with a blank or a quote in it is a file name',
    needs: ['shell'],
    async run({ engine }) {
      const notebook = engine()
      const odd = 'a \'b\' "c" $HOME `d` \\e * ~ é\n-'
      const result = await notebook.execute(`
        const odd = ${JSON.stringify(odd)}
        const words = await $\`printf '<%s>' "pre \${odd} post" pre\${odd}post 'single \${odd}' \${odd} "$(printf '%s' \${odd})" \${''} \${['x y', '-rf']} \${1} \${true} \${{ raw: 'two words' }}\`.text()
        words`)
      const shown = (text: string): string => `<${text}>`
      const expected = [`pre ${odd} post`, `pre${odd}post`, `single ${odd}`, odd, odd, '', 'x y', '-rf', '1', 'true', 'two', 'words'].map(shown).join('')
      const { value } = await notebook.execute('words', { json: true })
      expect(result.status).toBe('ok')
      expect(value).toBe(expected)
    },
  },
  {
    title: 'gives commands data to read and buffers to fill, and the end of input otherwise',
    why: 'ten megabytes of input are no argument',
    needs: ['shell'],
    async run({ engine }) {
      const notebook = engine()
      const result = await notebook.execute(`
        const filled = Buffer.alloc(4)
        await $\`printf abcdef > \${filled}\`
        ;[(await $\`cat\`.text()), (await $\`wc -c < \${Buffer.alloc(10_000_000)}\`.text()).trim(), await $\`cat < \${new Response('body')}\`.text(), filled.toString()]`, { json: true })
      expect(result.value).toEqual(['', '10000000', 'body', 'abcd'])
    },
  },
  {
    title: 'tells of a failed command its exit code, the command and the end of its stderr',
    why: 'the model mends what the error names',
    needs: ['shell'],
    async run({ engine }) {
      const notebook = engine()
      const failed = await notebook.execute('const dir = "no such"\nawait $`ls ${dir}`')
      expect(failed).toMatchObject({ status: 'error', error: { name: 'ShellError', code: 'SHELL_FAILED' } })
      expect(failed.error?.message).toMatch(/^Failed with exit code \d+: ls 'no such'\n[^]*No such file/)
      expect(failed.error?.stack.join()).toContain('cell 1:2:')
      expect(await notebook.execute('await $`exit 5`.catch(error => [error.exitCode, error.stdout.length])', { json: true })).toMatchObject({ value: [5, 0] })
    },
  },
  {
    title: 'shows a command\'s output as it comes, and a cancel ends the whole script',
    why: 'a build of ten minutes is watched, and what follows a cancelled command must not run',
    needs: ['shell'],
    async run({ engine, folder }) {
      const notebook = engine()
      const file = `${folder()}/never`
      const stop = new AbortController()
      const running = notebook.execute(`await $\`echo begun; sleep 55555; sleep 0.3; echo x > ${file}\``, { signal: stop.signal, onStream: () => { stop.abort() } })
      expect(await running).toMatchObject({ status: 'aborted', stdout: 'begun\n' })
      await until('the script is gone', async () => (await census({ tag: notebook.processTag })).filter(({ cell }) => cell === 1).length === 0)
      await pause(500)
      expect(await notebook.execute('(await import("node:fs")).existsSync(' + JSON.stringify(file) + ')')).toMatchObject({ result: 'false' })
    },
  },
  {
    title: 'lets a cell declare its own $, and keeps Bun for the notebook',
    why: 'jQuery habits and saved values must not take the shell away',
    needs: ['shell'],
    async run({ engine }) {
      const notebook = engine()
      expect(await notebook.execute('const $ = 5; $ + 1')).toMatchObject({ result: '6' })
      expect(await notebook.execute('await Bun.$`echo still here`.text()')).toMatchObject({ result: '\'still here\\n\'' })
      expect(await notebook.execute('const Bun = 1')).toMatchObject({ status: 'error' })
    },
  },
]
export default cases
