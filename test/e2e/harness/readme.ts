import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './installations.ts'

/** A line of a shell block, and what is said beside it. */
export interface ReadmeCommand { readonly command: string; readonly comment: string }

/** The shell commands under a heading of README.md, as they stand there. */
export function commandsUnder(heading: string): ReadmeCommand[] {
  const text = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const section = text.split(/^## /m).find(part => part.startsWith(`${heading}\n`))
  if (section === undefined) throw new Error(`README.md has no part '${heading}'`)
  const blocks = [...section.matchAll(/^```sh\n([^]*?)^```/gm)].map(match => match[1] ?? '')
  return blocks.flatMap(block => block.trimEnd().split('\n')).map(line => {
    const [command = '', comment = ''] = line.split(/\s+# /)
    return { command, comment }
  })
}
