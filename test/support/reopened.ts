import { join } from 'node:path'
import { expect } from 'vitest'
import type { EngineManager, EngineOptions, RestoreReport, SnapshotReport } from '../../kernel/index.ts'
import type { ContractContext } from '../contract/case.ts'

export interface Reopened { readonly first: EngineManager; readonly second: EngineManager; readonly saved: SnapshotReport; readonly report: RestoreReport | null; readonly path: string }

/** Two engines after another over one folder: what the first saved, the second brings back. */
export async function reopened({ engine, folder }: Pick<ContractContext, 'engine' | 'folder'>, cells: readonly string[], options: Record<string, unknown> = {}, more: Partial<EngineOptions> = {}): Promise<Reopened> {
  const snapshot = { path: join(folder(), 'state') }
  const first = engine({ ...more, snapshot, options })
  for (const cell of cells) expect(await first.execute(cell)).toMatchObject({ status: 'ok' })
  const saved = await first.snapshotState()
  await first.dispose()
  const second = engine({ ...more, snapshot, options })
  const report = await second.restoreState()
  return { first, second, saved, report, path: snapshot.path }
}
