import { losses } from '../../../kernel/reset-notice.ts'
import { renderRestore } from '../render.ts'
import type { Desk } from './commands.ts'

/** Whether the guest takes a cell; one that is stuck in its code is ended first, when the user agrees. */
export async function freed(desk: Desk): Promise<boolean> {
  const { notebook: { supervisor, snapshot, ending }, line } = desk
  const stuck = (): boolean => supervisor.current?.isWedged === true
  if (!stuck()) return true
  if (ending.aborted) return false
  line(`The guest is stuck in code that cannot be interrupted. ${snapshot === null ? 'Nothing is kept, so a restart loses every name.' : 'After a restart, names come back from the last save.'}`)
  if (!await desk.confirm('Restart it?')) { line('It runs on; until it is done, the next cell asks again.'); return false }
  if (stuck()) {
    supervisor.restart('its cell ran code that cannot be interrupted')
    await goOn(desk)
  } else line('It came to itself meanwhile, so it was not restarted and every name is there.')
  return true
}

/** Goes on with a new guest; asks first when that costs names. */
export async function restart(desk: Desk): Promise<void> {
  const { notebook: { supervisor, snapshot }, confirm } = desk
  if (supervisor.current?.isWedged === true) { await freed(desk); return }
  if (snapshot === null && (await supervisor.listNamespaceNames()).length > 0 && !await confirm('Nothing is kept, so a restart loses every name. Restart?')) return
  await supervisor.restartSaved()
  await goOn(desk)
}

async function goOn({ notebook: { supervisor }, line, busy }: Desk): Promise<void> {
  const report = await busy('restarting', () => supervisor.start())
  if (report === null) { line('Restarted; no names came back.'); return }
  line(`Restarted: ${renderRestore(report)}.`)
  for (const text of losses(report, 'new')) line(`* ${text}`)
}
