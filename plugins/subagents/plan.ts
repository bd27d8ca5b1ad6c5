import { existsSync, writeFileSync } from 'node:fs'
import type { SpawnPlan } from '../../kernel/hooks.ts'
import type { ChildAgent, Host } from '../../kernel/plugin.ts'
import type { Life } from './child/life.ts'
import type { Handover } from './handover.ts'

/** How a child is started: its agent says it, the hook `onSpawn` may shape it. */
export async function startPlan(host: Host, agent: ChildAgent, life: Life, handover: Handover): Promise<SpawnPlan> {
  // Node reports a missing folder as a missing command, which sends people the wrong way.
  if (!existsSync(host.cwd)) throw new Error(`the working directory ${host.cwd} does not exist`)
  const { id, depth, model } = life.record
  const first = await agent.plan({
    id, depth, cwd: host.cwd, env: withoutMarks(host.env), answerPath: life.paths.output, handoverPath: life.paths.handover,
    ...(model.chosen !== null && { model: model.chosen }),
  })
  const plan = await host.hooks.onSpawn.promise(first)
  const path = life.paths.handover
  if ([...plan.args, ...Object.values(plan.env)].some(text => text.includes(path))) writeFileSync(path, JSON.stringify(handover), { mode: 0o600 })
  return plan
}

/** Settings of the user that mean the same at every depth; all other variables of ours stay with their process. */
const INHERITED = new Set(['PI_RLM_PRESET', 'PI_RLM_NPM_CACHE_DIR', 'PI_RLM_CELL_TIMEOUT_MS', 'PI_RLM_MAX_DEPTH', 'PI_RLM_SUBAGENT_MODEL'])

/** An environment in which nobody takes himself for a child, or for a notebook that was asked for. */
export function withoutMarks(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('PI_RLM_') || INHERITED.has(name)))
}
