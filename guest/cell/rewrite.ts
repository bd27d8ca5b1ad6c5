import type { ESTree } from 'meriyah'
import type { ParsedCell, Transform } from '../guest.ts'
import type { Namespace } from '../namespace.ts'
import type { CellRef } from '../protocol.ts'
import { TextEdits } from './edits.ts'
import { plainRef, writeRefs } from './refs.ts'
import { captureResult } from './result.ts'
import type { ScopeAnalysis } from './scope.ts'

export interface Unedited {
  readonly cell: CellRef
  readonly code: string
  readonly tree: ESTree.Program
  readonly scope: ScopeAnalysis
  readonly transforms: readonly Transform[]
  readonly namespace: Namespace
}

/** Applies the transforms in their order, then writes the names as the last of them said, and captures the result. */
export function rewrite({ cell: { id, number }, code, tree, scope, transforms, namespace }: Unedited): ParsedCell {
  const tasks: (() => void)[] = []
  const parsed: ParsedCell = {
    id, number, text: code, tree, scope, edits: new TextEdits(code), boxes: new Set(), resolved: false,
    ref: plainRef, atEnd: task => { tasks.push(task) },
  }
  for (const transform of transforms) transform.apply(parsed)
  for (const task of tasks) task()
  writeRefs(parsed, namespace, captureResult(parsed))
  return parsed
}
