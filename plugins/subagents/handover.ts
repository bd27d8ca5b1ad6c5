import { readFileSync } from 'node:fs'
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { badArgument } from '../../kernel/errors.ts'

const whole = Type.Integer({ minimum: 0 })
const Handover = Type.Object({
  version: Type.Literal(1),
  /** The child's id, and the name of its folder under `base`. */
  id: Type.String({ pattern: '^[\\w-]+$' }),
  depth: whole,
  /** Holds a folder for the root session and for each child. */
  base: Type.String({ minLength: 1 }),
  /** The session at the root of the tree. */
  root: Type.String({ minLength: 1 }),
  limits: Type.Object({ maxDepth: whole, concurrency: whole, maxTotal: whole, tokenBudget: Type.Number({ minimum: 0 }), costBudget: Type.Number({ minimum: 0 }) }),
  /** What its own children run on unless they name a model. */
  model: Type.Union([Type.String(), Type.Null()]),
})

/**
 * What a child is told about its place in the tree. It travels in a file whose path is an argument of the child: an
 * environment variable would reach every shell the child runs, and a fresh agent there would take itself for the child.
 */
export type Handover = Static<typeof Handover>

/** Reads a handover file; throws when it is not one, because a child that takes itself for a root has no limits. */
export function readHandover(path: string): Handover {
  let value: unknown
  try { value = JSON.parse(readFileSync(path, 'utf8')) } catch (cause) {
    throw badArgument(`the handover file ${path} cannot be read (${(cause as Error).message}); it is written by the parent of a child agent and is gone once that child has ended`)
  }
  if (!Value.Check(Handover, value)) throw badArgument(`${path} is not a handover file of this version`)
  return value
}
