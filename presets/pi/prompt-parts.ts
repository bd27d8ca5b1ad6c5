/** A method the prompt lists. */
export interface Listed { readonly handle: string; readonly name: string; readonly description?: string | undefined; readonly params: object }
export interface ContextFile { readonly path: string; readonly content: string }
export interface Skill { readonly name: string; readonly description: string; readonly filePath: string; readonly disableModelInvocation?: boolean }

/** All that the prompt is made from; the same parts make the same text, so that providers can cache it. */
export interface PromptParts {
  /** Names of the preset's plugins: nothing is said of what is not there. */
  readonly plugins: readonly string[]
  readonly runtime: string
  readonly methods: readonly Listed[]
  readonly cwd: string
  /** As `2026-01-31`; no time of day, which would change at every turn. */
  readonly date: string
  /** Whether child agents can be run, and models asked without one. */
  readonly agents: { readonly run: boolean; readonly ask: boolean }
  /** How deep in a tree of agents this one is, and how deep it may go. */
  readonly depth: number
  readonly maxDepth: number
  readonly contextFiles?: readonly ContextFile[]
  readonly skills?: readonly Skill[]
  /** The user's own system prompt; it takes the place of the opening sentence. */
  readonly custom?: string
  /** What the user or other extensions add, and pi's pointer to its documentation. */
  readonly additions?: readonly string[]
}
