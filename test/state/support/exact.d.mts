/** Every way in which two graphs differ; empty when none. Plain JavaScript, because cells import it, too. */
export function differences(before: unknown, after: unknown, limit?: number): string[]
