import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT } from './installations.ts'

/** A line of a shell block, and what is said beside it. */
export interface ReadmeCommand { readonly command: string; readonly comment: string }

/** Whether these sources are a repository; a tarball of them is none. */
const inRepository = existsSync(join(ROOT, '.git'))
/** What a build and an install leave beside the sources. */
const LEFT_OUT = /^(?:node_modules|dist.*|\.pi-rlm|.*\.tgz)$/

/** The project as a user gets it: a clone of the last commit. */
export function cloneInto(folder: string): void {
  if (inRepository) execFileSync('git', ['clone', '--quiet', '--depth', '1', pathToFileURL(ROOT).href, folder], { stdio: 'pipe' })
  else cpSync(ROOT, folder, { recursive: true, filter: path => !LEFT_OUT.test(basename(path)) })
}

/** The README of that clone. */
const readme = (): string => inRepository ? execFileSync('git', ['show', 'HEAD:README.md'], { cwd: ROOT, encoding: 'utf8' }) : readFileSync(join(ROOT, 'README.md'), 'utf8')

/** The shell commands under a heading of README.md, as they stand there. */
export function commandsUnder(heading: string): ReadmeCommand[] {
  const section = readme().split(/^## /m).find(part => part.startsWith(`${heading}\n`))
  if (section === undefined) throw new Error(`README.md has no part '${heading}'`)
  const blocks = [...section.matchAll(/^```sh\n([^]*?)^```/gm)].map(match => match[1] ?? '')
  return blocks.flatMap(block => block.trimEnd().split('\n')).map(line => {
    const [command = '', comment = ''] = line.split(/\s+# /)
    return { command, comment }
  })
}
