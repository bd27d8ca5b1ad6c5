import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'vitest'
import type { Gate } from '../gate.ts'
import { asModule, inCells, randomProgram } from './program.ts'

/** Programs that one engine runs; its names are forgotten with it. */
const PER_ENGINE = 500

const plain = (log: unknown): string => JSON.stringify(log, (_, value: unknown) => value === undefined ? 'undefined' : typeof value === 'number' && Number.isNaN(value) ? 'NaN' : value)

export default {
  name: 'differential',
  bar: 'a random program means the same as a module and as cells split at random borders',
  rounds: { full: 10_000, short: 150 },
  guards: [
    { takenOut: 'the hoisting of functions', edits: [{ file: 'plugins/declarations/guest/rewrite.ts', find: 'head.push(`${hoister}();`)', replace: 'void hoister' }] },
    { takenOut: 'the receiver of a free call', edits: [{ file: 'plugins/fast-names/guest.ts', find: 'return text.startsWith(\'(\') ? text : `(0, ${text})`', replace: 'return text' }] },
    { takenOut: 'the names of unnamed functions', edits: [{ file: 'plugins/fast-names/guest.ts', find: 'for (const { name, start, end } of cell.scope.unnamed) nameValue(cell, name, start, end)', replace: 'void nameValue' }] },
    { takenOut: 'block scopes', edits: [{ file: 'guest/cell/walk/statements.ts', find: 'lexicalNames(statements, name => { bind(scope, name) })', replace: 'void statements' }] },
    { takenOut: 'parameters as local names', edits: [{ file: 'guest/cell/walk/functions.ts', find: 'for (const param of node.params) patternNames(param, ({ name }) => { bind(params, name) })', replace: 'void patternNames' }] },
    { takenOut: 'catch parameters as local names', edits: [{ file: 'guest/cell/walk/statements.ts', find: 'patternNames(node.param, ({ name }) => { bind(scope, name) })', replace: 'void node.param' }] },
    { takenOut: 'vars of nested blocks as names of the notebook', edits: [{ file: 'guest/cell/walk/statements.ts', find: 'const owner = node.kind === \'var\' ? varScope(scope) : scope', replace: 'const owner = scope; void varScope' }] },
    { takenOut: 'the key of a shorthand property', edits: [{ file: 'plugins/fast-names/guest.ts', find: 'case \'shorthand\': return `${name === \'__proto__\' ? \'["__proto__"]\' : name}: ${text}`', replace: 'case \'shorthand\': return `v: ${text}`' }] },
    { takenOut: 'the value of a declaration without an initialiser', edits: [{ file: 'plugins/declarations/guest/rewrite.ts', find: 'else edits.appendLeft(to(id), \' = undefined\')', replace: '' }] },
    { takenOut: 'the semicolon before a parenthesis', edits: [{ file: 'guest/cell/refs.ts', find: 'leads && start !== resultAt && written.startsWith(\'(\') ? `;${written}` : written', replace: 'leads && start === -1 && resultAt === -2 ? `;${written}` : written' }] },
  ],
  async run({ engine, folder, rounds, done }) {
    const place = folder()
    for (let first = 0; first < rounds; first += PER_ENGINE) {
      const notebook = engine()
      for (let seed = first; seed < Math.min(rounds, first + PER_ENGINE); seed++) {
        const program = randomProgram(seed)
        const file = join(place, `program-${seed}.mjs`)
        writeFileSync(file, asModule(program))
        const { default: wanted } = await import(pathToFileURL(file).href) as { default: unknown }
        const cells = inCells(program)
        for (const cell of cells.slice(0, -1)) expect(await notebook.execute(cell), `program ${seed}:\n${cells.join('\n// %%\n')}`).toMatchObject({ status: 'ok' })
        const { value } = await notebook.execute('JSON.stringify(log, (_, value) => value === undefined ? \'undefined\' : Number.isNaN(value) ? \'NaN\' : value)', { json: true })
        expect(value, `program ${seed}:\n${cells.join('\n// %%\n')}`).toBe(plain(wanted))
        // The names of one program must not help the next.
        await notebook.execute('for (const name of rlm.names().map(each => each.name ?? each)) rlm.forget(name)')
        done()
      }
      await notebook.dispose()
    }
  },
} satisfies Gate
