import { Type } from '@sinclair/typebox'
import { definePlugin, guestHalf, type Host } from '../../kernel/plugin.ts'
import type half from './guest.ts'
import { Schedule } from './schedule.ts'

const options = Type.Object({
  debounceMs: Type.Integer({ default: 1_500, minimum: 0, description: 'pause after the last cell before a save' }),
  maxWaitMs: Type.Integer({ default: 5_000, minimum: 1, description: 'longest time without a save while cells run' }),
  maxWaitCells: Type.Integer({ default: 10, minimum: 1, description: 'most cells without a save' }),
  maxValueBytes: Type.Integer({ default: 256 << 20, minimum: 1, description: 'largest saved value' }),
  maxTotalBytes: Type.Integer({ default: 2 ** 31, minimum: 1, description: 'largest saved state' }),
})

/** One failed save is told with the next result; this many in a row with every result, until one succeeds. */
const TOLD_AFTER = 2

/** Saves by itself: after a pause, at the latest at a ceiling, and once more when the notebook ends. */
export const autosave = definePlugin({
  name: 'autosave',
  options,
  guest: guestHalf<typeof half>(import.meta.url, './guest'),
  host(host, { debounceMs, maxWaitMs, maxWaitCells }) {
    if (host.statePath === null) return
    const health = watchHealth(host)
    const save = (): Promise<void> => host.save().then(() => {}, () => {})
    const schedule = new Schedule({ debounceMs, maxWaitMs, maxWaitCells }, save, { set: (task, ms) => setTimeout(task, ms).unref(), clear: timer => { clearTimeout(timer as NodeJS.Timeout) } })
    host.hooks.onResult.tap('autosave', result => {
      schedule.changed(true)
      const line = health()
      return line === null ? result : { ...result, notices: [...result.notices, line] }
    })
    host.onTouched(() => { schedule.changed(false) })
    host.onDispose(() => schedule.flush())
    host.signal.addEventListener('abort', () => { schedule.stop() }, { once: true })
  },
})

/** Follows all saves, asked for or automatic; answers the line for a result while they fail. */
function watchHealth(host: Host): () => string | null {
  let failures = 0
  let told = false
  let reason = ''
  let last: { readonly generation: number; readonly at: number } | null = null
  host.hooks.onSnapshot.tap('autosave', report => {
    switch (report.type) {
      case 'save':
        failures = 0
        told = false
        if (report.report.generation > 0) last = { generation: report.report.generation, at: Date.now() }
        return
      case 'restore': last = { generation: report.report.generation, at: report.report.savedAt }; return
      case 'failed':
        if (report.what !== 'save') return
        failures += 1
        reason = report.reason
    }
  })
  return () => {
    if (failures === 0 || (failures < TOLD_AFTER && told)) return null
    told = true
    const stands = last === null ? 'Nothing was saved so far.' : `What stands is generation ${last.generation} of ${new Date(last.at).toISOString()}.`
    return failures < TOLD_AFTER ? `The last save failed: ${reason} ${stands}` : `State is not being saved (${failures} attempts in a row failed): ${reason} ${stands}`
  }
}
