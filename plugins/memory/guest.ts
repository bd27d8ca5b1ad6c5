import type { Guest } from '../../guest/guest.ts'
import { listNames } from '../../guest/names.ts'

/** Methods of the handle `rlm` that look at names and remove them. */
export default function memory(guest: Guest): void {
  const { namespace } = guest
  guest.handle('rlm', {
    /** Names with type and size; nothing is loaded and no getter runs. */
    names: () => listNames(namespace),
    /** Removes names from the notebook and from every later snapshot; answers those that were there. */
    forget: (...names: unknown[]) => {
      const wrong = names.find(name => typeof name !== 'string')
      if (wrong !== undefined || names.length === 0) throw new TypeError('rlm.forget takes names as strings: rlm.forget("big")')
      return (names as string[]).filter(name => namespace.forget(name))
    },
    /** Puts back globals that a cell replaced or removed; answers their names. */
    resetGlobals: () => guest.resetGlobals(),
  })
}
