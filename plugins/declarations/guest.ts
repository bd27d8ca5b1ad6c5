import type { Guest } from '../../guest/guest.ts'
import { rewriteDeclarations } from './guest/rewrite.ts'

/** Makes every top-level declaration of a cell a binding of the notebook. */
export default function declarations(guest: Pick<Guest, 'transform'>): void {
  guest.transform({ name: 'declarations', apply: rewriteDeclarations })
}
