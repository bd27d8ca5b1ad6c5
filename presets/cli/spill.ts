import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Preset } from '../../kernel/index.ts'

/** Options that send output which is too long to show to a folder that stays when the process ends: its path is printed. */
export function outlivingSpill({ plugins }: Preset): Readonly<Record<string, object>> {
  const caps = plugins.find(({ name }) => name === 'output-caps')
  const { folder } = (caps?.options ?? {}) as { readonly folder?: string }
  // A preset that names a folder keeps it; the guest makes ours with the first file, so mostly there is none.
  return folder === '' ? { 'output-caps': { folder: join(tmpdir(), `pi-rlm-output-${randomBytes(6).toString('hex')}`) } } : {}
}
