const PREFIX = 'PI_RLM_'
/** One place for all copies of this module in a process: pi evaluates extensions afresh on a reload. */
const KEPT = Symbol.for('pi-rlm.environment')

export type Environment = Readonly<Record<string, string>>

/**
 * Takes this project's variables out of the process's environment, once, and answers them from then on. They are meant
 * for this pi alone: a shell would hand them to every program under it, and a plain `pi` there would take itself for
 * the one they were meant for.
 */
export function takeEnvironment(env: NodeJS.ProcessEnv = process.env): Environment {
  const home = globalThis as unknown as Record<symbol, Record<string, string> | undefined>
  const kept = home[KEPT] ??= {}
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith(PREFIX) || value === undefined) continue
    kept[name] = value
    Reflect.deleteProperty(env, name)
  }
  return kept
}

/** What this project's variables say, taken or not: a session that does not use the notebook leaves them where they are. */
export function readEnvironment(env: NodeJS.ProcessEnv = process.env): Environment {
  const kept = (globalThis as unknown as Record<symbol, Environment | undefined>)[KEPT]
  return { ...Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[0].startsWith(PREFIX) && entry[1] !== undefined)), ...kept }
}

/** An environment without this project's variables. */
export const withoutOurs = (env: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => !entry[0].startsWith(PREFIX) && entry[1] !== undefined))
