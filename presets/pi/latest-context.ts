import type { ExtensionContext } from './pi.ts'

/** The context pi gave a session last. A reload makes the one before unusable while the notebook and its children live on. */
export interface LatestContext { ctx: ExtensionContext }
