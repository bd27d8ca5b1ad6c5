import { realDisk } from './disk.ts'
import { NOTHING_KEPT } from './errors.ts'
import { realMachine } from './lock.ts'
import type { Store, StoreParts } from './parts.ts'
import { DiskStore } from './store.ts'

export type { Store, StoreParts } from './parts.ts'

/** The store of one guest. */
export function createStore(parts: StoreParts): Store {
  const { namespace, path, disk = realDisk, machine = realMachine } = parts
  if (path !== null) return new DiskStore({ ...parts, path, disk, machine })
  namespace.onTouch = box => parts.onTouch?.(box)
  return {
    save: () => Promise.resolve(NOTHING_KEPT),
    restore: () => Promise.resolve(null),
    forgotten: () => {},
    cell: () => { namespace.look(); namespace.tick += 1 },
    cellEnded: () => {},
    prepare: () => undefined,
    about: () => undefined,
    close: () => {},
  }
}
