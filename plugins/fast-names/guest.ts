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
      cell.ref = boxRefs(cell, namespace)
      for (const { name, start, end } of cell.scope.unnamed) nameValue(cell, name, start, end)
    },
  })
}

/** Constants of the platform that nothing can change. */
const CONSTANTS = new Set(['undefined', 'NaN', 'Infinity'])

/** What a name is read and written as; null for one that is written as it stands. */
function boxText(cell: ParsedCell, namespace: Namespace, name: string): string | null {
  const { declared, written, strict } = cell.scope
  const ours = declared.has(name) || written.has(name) || namespace.answers(name)
  if (!ours && CONSTANTS.has(name)) return null
  cell.boxes.add(name)
  const box = boxName(name)
  const value = strict && written.has(name) && !declared.has(name) ? `${box}.assigned` : `${box}.v`
  // A platform global is read as such until a cell binds the name, which this closure may live to see. Not with `? :`, whose
  // parts node leaves out of its messages; a global that is false is read through the box.
  return !ours && namespace.isPlatform(name) ? `(!${box}.bound && ${name} || ${value})` : value
}

function boxRefs(cell: ParsedCell, namespace: Namespace): ParsedCell['ref'] {
  const texts = new Map<string, string | null>()
  return (name, use) => {
    let text = texts.get(name)
    if (text === undefined) texts.set(name, text = boxText(cell, namespace, name))
    return text === null ? plainRef(name, use) : boxRef(name, use, text)
  }
}

function boxRef(name: string, use: NameUse, text: string): string {
  switch (use) {
    case 'typeof': return `${boxName(name)}.typeOf()`
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
