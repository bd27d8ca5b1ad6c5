import type { Guest, NameUse, ParsedCell } from '../../guest/guest.ts'
import { boxName } from '../../guest/cell/private-names.ts'
import { plainRef } from '../../guest/cell/refs.ts'
import type { Namespace } from '../../guest/namespace.ts'

/** Writes every name of the notebook as an access to its box. */
export default function fastNames({ transform, namespace }: Pick<Guest, 'transform' | 'namespace'>): void {
  transform({
    name: 'fast-names',
    apply(cell) {
      cell.resolved = true
      cell.ref = (name, use) => boxRef(cell, namespace, name, use)
      for (const { name, start, end } of cell.scope.unnamed) nameValue(cell, name, start, end)
    },
  })
}

/** Constants of the platform that nothing can change. */
const CONSTANTS = new Set(['undefined', 'NaN', 'Infinity'])

function boxRef(cell: ParsedCell, namespace: Namespace, name: string, use: NameUse): string {
  const { declared, written, strict } = cell.scope
  const ours = declared.has(name) || written.has(name) || namespace.answers(name)
  if (!ours && CONSTANTS.has(name)) return plainRef(name, use)
  cell.boxes.add(name)
  const box = boxName(name)
  if (use === 'typeof') return `${box}.typeOf()`
  const value = strict && written.has(name) && !declared.has(name) ? `${box}.assigned` : `${box}.v`
  // A platform global is read as such until a cell binds the name, which this closure may live to see.
  const text = !ours && namespace.isPlatform(name) ? `(${box}.bound ? ${value} : ${name})` : value
  switch (use) {
    case 'read': case 'write': return text
    case 'call': return text.startsWith('(') ? text : `(0, ${text})`
    case 'shorthand': return `${name === '__proto__' ? '["__proto__"]' : name}: ${text}`
  }
}

/** A function or class takes its name from the property it is the value of, as it would from a variable. */
function nameValue({ edits }: ParsedCell, name: string, start: number, end: number): void {
  edits.prependRight(start, `({${name === '__proto__' ? '["__proto__"]' : name}: `)
  edits.prependLeft(end, `})[${JSON.stringify(name)}]`)
}
