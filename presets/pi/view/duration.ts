/** A duration as a person says it: `340ms`, `1.2s`, `2m05s`, `1h02m`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))}ms`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)}s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${two(seconds % 60)}s`
  return `${Math.floor(seconds / 3600)}h${two(Math.floor(seconds % 3600 / 60))}m`
}

const two = (value: number): string => String(value).padStart(2, '0')
