import { expect } from 'vitest'
import type { ContractCase } from './case.ts'

const cases: readonly ContractCase[] = [
  {
    title: 'lists names with type and size without running a getter, and forgets a name for good',
    why: 'removing state is the user\'s decision alone, and looking must not change anything',
    needs: ['memory'],
    async run({ engine }) {
      const notebook = engine()
      await notebook.execute('globalThis.ran = 0; let big = "x".repeat(1000); const list = [1, 2]; const trap = { get now() { ran++; return 1 } }; class Own {} const own = new Own()')
      const names = (await notebook.execute('rlm.names()', { json: true })).value
      expect(names).toEqual(expect.arrayContaining([{ name: 'big', type: 'string', size: 1000 }, { name: 'list', type: 'Array', size: 2 }, expect.objectContaining({ name: 'own', type: 'Own' })]))
      expect(await notebook.execute('[ran, rlm.forget("big"), typeof big]', { json: true })).toMatchObject({ value: [0, ['big'], 'undefined'] })
      expect((await notebook.listNamespaceNames()).map(({ name }) => name)).not.toContain('big')
    },
  },
  {
    title: 'says which globals a cell replaced and puts them back when asked',
    why: 'a patched builtin explains results that nothing else explains',
    needs: ['memory'],
    async run({ engine }) {
      const notebook = engine()
      await notebook.execute('JSON.stringify = () => "patched"')
      const next = await notebook.execute('JSON.stringify({})')
      expect(next.result).toBe('\'patched\'')
      expect(next.notices.join()).toContain('JSON.stringify')
      expect(await notebook.execute('rlm.resetGlobals(); JSON.stringify({})')).toMatchObject({ result: '\'{}\'' })
    },
  },
]
export default cases
