import type { BeforeAgentStartEvent } from '@mariozechner/pi-coding-agent'
import type { Notebook } from './notebook.ts'
import { buildPrompt } from './prompt.ts'

/** What 1.6 adds to the options: sections of other extensions, by name. */
type Options = BeforeAgentStartEvent['systemPromptOptions'] & { readonly sections?: Readonly<Record<string, string>> }

/** The prompt of a session, from what pi would have made its own of. */
export function promptOf(event: BeforeAgentStartEvent, notebook: Notebook, date: string): string {
  const { customPrompt, appendSystemPrompt, contextFiles, skills, sections } = event.systemPromptOptions as Options
  const { preset, cwd } = notebook.parts
  return buildPrompt({
    date, ...notebook.depth, agents: notebook.agents, cwd, plugins: notebook.plugins, runtime: preset.runtime.name, methods: notebook.methods,
    ...(customPrompt !== undefined && customPrompt !== '' && { custom: customPrompt }),
    additions: [
      ...(customPrompt === undefined ? documentation(event.systemPrompt) : []),
      ...(appendSystemPrompt === undefined || appendSystemPrompt === '' ? [] : [appendSystemPrompt]),
      ...Object.entries(sections ?? {}).filter(([, text]) => text !== '').map(([name, text]) => `<${name}>\n${text}\n</${name}>`),
    ],
    ...(contextFiles && { contextFiles }),
    ...(skills && { skills }),
  })
}

/** pi's pointer to its own documentation, for questions about pi: a heading and its list. */
function documentation(systemPrompt: string): string[] {
  const found = /^Pi documentation \(.*(?:\n- .*)+/m.exec(systemPrompt)
  return found === null ? [] : [found[0]]
}

/** Today as `2026-01-31`, in local time. */
export function today(now: Date = new Date()): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
}
