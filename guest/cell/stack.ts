const FRAME = /^\s*at (async )?(?:(.*?) \()?(cell \d+):(\d+):(\d+)\)?$/

/** The frames of cells in an error's stack, as `at f (cell 3:12:5)`; nothing for what has no stack. */
export function describeStack(error: unknown): string[] {
  const frames: string[] = []
  for (const line of stackOf(error).split('\n')) {
    const found = FRAME.exec(line)
    if (found) frames.push(frame(found[2] ?? '', `${found[3]}:${found[4]}:${found[5]}`, found[1] ?? ''))
  }
  return frames
}

function frame(name: string, place: string, prefix: string): string {
  return name === '' || name === '<anonymous>' || name.startsWith('º') ? `at ${prefix}${place}` : `at ${prefix}${name} (${place})`
}

function stackOf(error: unknown): string {
  try {
    const stack: unknown = (error as { stack?: unknown }).stack
    return typeof stack === 'string' ? stack : ''
  } catch {
    return ''
  }
}
