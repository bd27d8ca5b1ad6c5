import { Type } from '@sinclair/typebox'
import { expect } from 'vitest'
import { definePlugin, type CallContext } from '../../kernel/index.ts'
import type { ContractCase } from './case.ts'

/** A host whose methods note what they were called with. */
function probe() {
  const calls: { readonly text: unknown; readonly context: CallContext }[] = []
  const plugin = definePlugin({
    name: 'probe',
    host(host) {
      host.method({ handle: 'probe', name: 'echo', params: Type.Object({ text: Type.String(), waitMs: Type.Optional(Type.Integer()) }, { additionalProperties: false }), run: async ({ text, waitMs }, context) => {
        calls.push({ text, context })
        await new Promise(resolve => { setTimeout(resolve, waitMs ?? 0) })
        return { said: text }
      } })
      host.method({ handle: 'probe', name: 'broken', params: Type.Object({}), run: () => ({ big: 1n }) as never })
      host.method({ handle: 'probe', name: 'failing', params: Type.Object({}), run: () => { throw Object.assign(new Error('no such thing'), { code: 'NO_THING' }) } })
      host.method({ handle: 'probe', name: 'waiting', params: Type.Object({}), run: (_, context) => new Promise(resolve => { calls.push({ text: 'waiting', context }); context.signal.addEventListener('abort', () => { resolve('given up') }) }) })
    },
  })
  return { calls, plugins: [plugin()] }
}

const cases: readonly ContractCase[] = [
  {
    title: 'crosses with the cell\'s id, source and signal, and lets concurrent calls run side by side',
    why: 'the host decides by cell, and ten reads must not take ten times as long',
    needs: [],
    async run({ engine }) {
      const { calls, plugins } = probe()
      const notebook = engine({ plugins })
      const source = 'const started = performance.now(); const all = await Promise.all(Array.from({ length: 20 }, (_, i) => probe.echo({ text: "n" + i, waitMs: 200 }))); [all.map(one => one.said).join(), performance.now() - started < 2000]'
      const result = await notebook.execute(source, { cellId: 'caller', json: true })
      expect(result.value).toEqual([Array.from({ length: 20 }, (_, i) => `n${i}`).join(), true])
      expect(calls).toHaveLength(20)
      expect(calls[0]?.context.cell).toMatchObject({ id: 'caller', source })
    },
  },
  {
    title: 'hears every call a cell made before it ended the guest, in their order',
    why: 'calls that cross together must not be lost together',
    needs: [],
    async run({ engine }) {
      const { calls, plugins } = probe()
      const notebook = engine({ plugins })
      await expect(notebook.execute('for (const text of ["a", "b", "c"]) probe.echo({ text }); process.exit(0)')).rejects.toMatchObject({ code: 'GUEST_DIED' })
      expect(calls.map(({ text }) => text)).toEqual(['a', 'b', 'c'])
    },
  },
  {
    title: 'names the problem and the expected form when arguments do not fit, and the nearest name when there is none',
    why: 'a model mends a call from the message alone',
    needs: [],
    async run({ engine }) {
      const notebook = engine({ plugins: probe().plugins })
      const message = async (code: string): Promise<string> => (await notebook.execute(`try { await ${code} } catch (error) { console.log(error.message) }`)).stdout
      expect(await message('probe.echo({ txt: "x" })')).toMatch(/missing 'text'|unknown 'txt'/)
      expect(await message('probe.echo({ text: 5 })')).toContain('probe.echo({ text: string, waitMs?: number })')
      expect(await message('probe.ecko({ text: "x" })')).toContain('Did you mean probe.echo?')
      expect(await message('probe.echo({ text: 10n })')).toContain('.text is a bigint')
      expect(await message('probe.broken()')).toContain('not JSON')
    },
  },
  {
    title: 'gives a host error to the cell with its message and code',
    why: 'code in a cell decides by the code of an error',
    needs: [],
    async run({ engine }) {
      const notebook = engine({ plugins: probe().plugins })
      const result = await notebook.execute('try { await probe.failing() } catch (error) { [error.code, error.message].join() }')
      expect((await notebook.execute('let told; try { await probe.failing() } catch (error) { told = [error.code, error.message].join() } told')).result).toBe('\'NO_THING,no such thing\'')
      expect(result.status).toBe('ok')
    },
  },
  {
    title: 'fires the signal of host work when its cell is cancelled',
    why: 'work for a cell nobody waits for must stop',
    needs: [],
    async run({ engine }) {
      const { calls, plugins } = probe()
      const notebook = engine({ plugins })
      expect((await notebook.execute('await probe.waiting()', { timeoutMs: 300 })).error?.name).toBe('CellTimeout')
      expect(calls[0]?.context.signal.aborted).toBe(true)
      expect(await notebook.execute('1')).toMatchObject({ status: 'ok' })
    },
  },
  {
    title: 'takes a handle as a plain name: awaiting it calls nothing, and no cell can replace it',
    why: 'a saved or mistaken value must never shadow the live handle',
    needs: [],
    async run({ engine }) {
      const { calls, plugins } = probe()
      const notebook = engine({ plugins })
      expect(await notebook.execute('await probe; typeof probe.echo')).toMatchObject({ result: '\'function\'' })
      expect(await notebook.execute('const probe = 1')).toMatchObject({ status: 'error', error: { message: expect.stringContaining('taken') as string } })
      expect(await notebook.execute('probe = 1')).toMatchObject({ status: 'error' })
      expect(calls).toEqual([])
    },
  },
]
export default cases
