import { distance } from 'fastest-levenshtein'
import type { ModelChoice } from '../../kernel/plugin.ts'

/** A model an agent can be started with. */
export interface KnownModel { readonly provider: string; readonly id: string; readonly window?: number; readonly levels?: readonly string[] }

/**
 * Finds exactly the model that was asked for: `provider/id`, or an id only one provider has, with or without a
 * thinking level behind a colon. Ids may hold slashes and colons themselves, so whole names are tried first.
 */
export function chooseModel(requested: string, known: readonly KnownModel[]): ModelChoice {
  const exact = match(requested, known)
  if (exact !== undefined) return exact
  const colon = requested.lastIndexOf(':')
  if (colon > 0) {
    const level = requested.slice(colon + 1)
    const base = match(requested.slice(0, colon), known)
    if (base !== undefined) return withLevel(base, level, known)
  }
  return { refused: `there is no model '${requested}'. ${nearest(requested, known)}` }
}

function match(name: string, known: readonly KnownModel[]): ModelChoice | undefined {
  const full = known.find(model => fullName(model) === name)
  const [only, ...others] = full === undefined ? known.filter(model => model.id === name) : [full]
  if (only === undefined) return undefined
  if (others.length > 0) return { refused: `'${name}' is offered by several providers: ${[only, ...others].map(fullName).join(', ')}. Name one of these.` }
  return { model: fullName(only), ...(only.window !== undefined && { window: only.window }) }
}

const LEVELS: readonly string[] = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

function withLevel(base: ModelChoice, level: string, known: readonly KnownModel[]): ModelChoice {
  if ('refused' in base) return base
  const allowed = known.find(model => fullName(model) === base.model)?.levels ?? LEVELS
  if (!allowed.includes(level)) return { refused: `'${base.model}' has no thinking level '${level}'; it has ${allowed.join(', ')}.` }
  return { ...base, model: `${base.model}:${level}` }
}

function nearest(requested: string, known: readonly KnownModel[]): string {
  const wanted = requested.toLowerCase()
  const far = (model: KnownModel): number => {
    const name = fullName(model).toLowerCase()
    return name.includes(wanted) ? 0 : Math.min(distance(wanted, name), distance(wanted, model.id.toLowerCase()))
  }
  const names = [...known].sort((a, b) => far(a) - far(b)).slice(0, 5).map(fullName)
  return names.length === 0 ? 'No model is available here.' : `Nearest: ${names.join(', ')}.`
}

const fullName = (model: KnownModel): string => `${model.provider}/${model.id}`
