import { expect } from 'vitest'
import type { ContractCase } from './case.ts'

const cases: readonly ContractCase[] = [
  {
    title: 'keeps the names bound before a throw or a cancel, and shows closures a later rebinding',
    why: 'a cell is a sequence of bindings, not a transaction',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      await notebook.execute('let n = 1; const read = () => n; throw new Error("stop"); let never = 1')
      await notebook.execute('n = 5')
      expect(await notebook.execute('[read(), typeof never].join()')).toMatchObject({ result: '\'5,undefined\'' })
      const cancelled = notebook.execute('let early = "bound"; await new Promise(() => {}); let late = 1', { timeoutMs: 200 })
      expect((await cancelled).status).toBe('error')
      expect(await notebook.execute('[early, typeof late].join()')).toMatchObject({ result: '\'bound,undefined\'' })
    },
  },
  {
    title: 'lets a redeclaration overwrite, hoists functions in their cell, and keeps loop variables local',
    why: 'redefining step by step is how a notebook is used',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      await notebook.execute('const a = 1')
      expect(await notebook.execute('const a = 2; a')).toMatchObject({ result: '2' })
      expect(await notebook.execute('const early = hoisted(); function hoisted() { return 7 } early')).toMatchObject({ result: '7' })
      expect(await notebook.execute('const made = []; for (let i = 0; i < 3; i++) made.push(() => i); [made.map(f => f()).join(), typeof i].join(" ")')).toMatchObject({ result: '\'0,1,2 undefined\'' })
      expect(await notebook.execute('if (true) { var deep = 11 }')).toMatchObject({ status: 'ok' })
      expect(await notebook.execute('deep')).toMatchObject({ result: '11' })
    },
  },
  {
    title: 'reads an undeclared name as ReferenceError, its typeof as undefined, and gives a free function no this',
    why: 'a typo must show, and code must mean what it means in a module',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      expect(await notebook.execute('nothingHere')).toMatchObject({ status: 'error', error: { name: 'ReferenceError' } })
      expect(await notebook.execute('typeof nothingHere')).toMatchObject({ result: '\'undefined\'' })
      expect(await notebook.execute('function free() { return this === undefined } free()')).toMatchObject({ result: 'true' })
    },
  },
  {
    title: 'keeps static imports for later cells',
    why: 'what was imported once is used all day',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      await notebook.execute('import { join, sep as separator } from "node:path"; import * as os from "node:os"')
      expect(await notebook.execute('[join("a", "b"), separator, typeof os.tmpdir].join(" ")')).toMatchObject({ result: '\'a/b / function\'' })
    },
  },
]
export default cases
