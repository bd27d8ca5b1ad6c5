import { parseCell } from '../../guest/cell/parse.ts'
import { rewrite } from '../../guest/cell/rewrite.ts'
import { analyseScope } from '../../guest/cell/scope.ts'
import { readSource, splitMap } from '../../guest/cell/source.ts'
import type { Transform } from '../../guest/guest.ts'
import { Namespace } from '../../guest/namespace.ts'
import declarations from '../../plugins/declarations/guest.ts'
import fastNames from '../../plugins/fast-names/guest.ts'
import { toJavaScript } from '../../plugins/ts-strip/guest/compiler.ts'
import { isPlain } from '../../plugins/ts-strip/guest/plain.ts'

/** What the transforms of the default preset make of a cell's text; `boxes: false` leaves fast-names out. */
export function transform(source: string, { boxes, namespace = new Namespace() }: { readonly boxes: boolean; readonly namespace?: Namespace }): string {
  const text = readSource({ id: 'a', number: 1, source })
  const { text: javascript, isLocal } = splitMap(isPlain(text) ? text : toJavaScript(text), text)
  const { code, tree } = parseCell(javascript)
  const transforms: Transform[] = []
  const guest = { namespace, transform: (each: Transform) => { transforms.push(each) } }
  declarations(guest)
  if (boxes) fastNames(guest)
  return rewrite({ cell: { id: 'a', number: 1 }, code, tree, scope: analyseScope(tree, code, isLocal), transforms, namespace }).edits.toString()
}
