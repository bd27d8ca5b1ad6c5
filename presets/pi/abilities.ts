import { signature } from '../../kernel/signature.ts'
import type { PromptParts } from './prompt.ts'

const has = (parts: PromptParts, plugin: string): boolean => parts.plugins.includes(plugin)
const hasTool = (parts: PromptParts, name: string): boolean => parts.methods.some(method => method.handle === 'tools' && method.name === name)
const canDelegate = (parts: PromptParts): boolean => has(parts, 'subagents') && parts.depth < parts.maxDepth

/** A section for each ability that the preset has. */
export const abilities = (parts: PromptParts): string[] => [
  ...(has(parts, 'shell') ? [SHELL] : []),
  ...(has(parts, 'memory') ? [MEMORY] : []),
  ...(canDelegate(parts) ? [delegation(parts)] : []),
  ...(has(parts, 'npm-cache') ? [PACKAGES] : []),
]

const SHELL = `# Shell
\`await Bun.$\`cmd \${value}\`\` runs a command and is a value: \`.text()\`, \`.json()\`, \`.lines()\`, \`.quiet()\`, \`.nothrow()\`. Interpolated values are quoted for you; one that is null or undefined is refused. A failing command throws with \`exitCode\` and \`stderr\`. Commands get no input.`

const MEMORY = `# Memory
\`rlm.names()\` lists your names with their sizes; \`rlm.forget("name")\` removes one for good. Nothing else ever removes a name.`

/** Child agents; the calls come from the plugin's own methods. */
function delegation(parts: PromptParts): string {
  const calls = parts.methods.filter(method => method.handle === 'rlm' && method.name !== 'tools')
  return `# Child agents
\`rlm.run\` starts an agent like you, with its own notebook and an empty context, and resolves when it is admitted: to a handle, not an answer. Give it a task that stands alone; give large input by a file's path. Start several, do other work, then read their answers.
${calls.map(method => `- ${signature(`rlm.${method.name}`, method.params)}${method.description === undefined ? '' : `: ${method.description}`}`).join('\n')}`
}

const PACKAGES = `# Packages
\`import { x } from "npm:name@version"\` installs a package once into a cache of its own; the project is not touched. Modules of the project are imported by their path, as \`./src/a.ts\`.`

/** When to use what. */
export const habits = (parts: PromptParts): string[] => [
  ...(hasTool(parts, 'read') ? ['Look at files with `tools.read`, change them with `tools.edit` (exact old text) and create them with `tools.write`, so that the user sees what was done.'] : []),
  ...(hasTool(parts, 'grep') ? ['Search with `tools.grep` and `tools.find`; they skip ignored files.'] : []),
  ...(has(parts, 'shell') && hasTool(parts, 'bash') ? ['For commands use `Bun.$` when you work on the output, `tools.bash` when it is to be shown or may run long (`timeout` is in seconds).'] : []),
  'Do several things in one cell when they belong together, with `Promise.all` where they do not depend on each other; look at results before you build on them.',
  'Filter and count in code what is too large to print.',
  ...(canDelegate(parts) ? ['Delegate what needs much reading and gives a short answer; do yourself what is quick.'] : []),
  'Be concise in your answers, and name files by their paths.',
]
