import type { PromptParts } from './prompt-parts.ts'

const has = (parts: PromptParts, plugin: string): boolean => parts.plugins.includes(plugin)
const hasTool = (parts: PromptParts, name: string): boolean => parts.methods.some(method => method.handle === 'tools' && method.name === name)
const canDelegate = (parts: PromptParts): boolean => parts.agents.run && parts.depth < parts.maxDepth

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

/** Child agents; one plain model call is offered where pi makes them. */
const delegation = (parts: PromptParts): string => `# Child agents
\`const h = await rlm.run(task, { name, model, timeoutMs, inputs })\` starts an agent like you, with its own notebook and an empty context. It resolves when the child is admitted: to a handle, not an answer. The task must stand alone; \`inputs\` is an object of values it gets as files. It ends after 30 minutes unless \`timeoutMs\` says otherwise (0: no limit).
- \`await h.text()\`, \`await h.json(schema?)\`: the whole answer, once there; \`await h.wait()\` only waits. \`rlm.waitAny(handles)\`, \`rlm.waitAll(handles)\`.
- \`await rlm.map(items, async item => (await rlm.run(...)).text(), { concurrency })\`: many at once; answers \`{ status, value | reason }\` for each item, in their order, as Promise.allSettled does. \`rlm.reduce(results, fn, initial)\` refuses while a part is missing; \`rlm.map(items, fn, { previous: results })\` does only the failed ones again. \`rlm.chunks(text, { chars })\` cuts a text between lines: items with \`text\`, \`index\`, \`records\`.
- \`rlm.listSubagents()\`, \`rlm.deleteSubagent(idOrName)\`.${parts.agents.ask ? '\n- `await rlm.ask(prompt, { model, schema })`, `rlm.askAll(prompts)`: plain model calls without tools, for judging or extracting.' : ''}
Start several, do other work, then read. Keep answers in names and print what matters.`

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
