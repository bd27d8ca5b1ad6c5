import type { Behaviour } from './behaviour.ts'
import { answers } from './behaviours/answers.ts'
import { inputs } from './behaviours/inputs.ts'
import { joins } from './behaviours/joins.ts'
import { limits } from './behaviours/limits.ts'
import { names } from './behaviours/names.ts'
import { waits } from './behaviours/waits.ts'

/** Everything that is shown by running it. */
export const behaviours: readonly Behaviour[] = [...names, ...inputs, ...waits, ...answers, ...joins, ...limits]
