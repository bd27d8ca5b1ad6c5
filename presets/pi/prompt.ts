import { signature } from '../../kernel/signature.ts'
import { abilities, habits } from './abilities.ts'
import type { ContextFile, PromptParts } from './prompt-parts.ts'

const OPENING = 'You are a coding agent running inside pi. You help by inspecting files, running commands, changing code and finding things out.'

/** The system prompt of a session with the notebook. */
export function buildPrompt(parts: PromptParts): string {
  return [
    parts.custom ?? OPENING,
    notebook(parts),
    ...abilities(parts),
    toolList(parts),
    `# How to work\n${habits(parts).map(habit => `- ${habit}`).join('\n')}`,
    ...(parts.additions ?? []),
    projectContext(parts.contextFiles ?? []),
    skillList(parts),
    surroundings(parts),
  ].filter(text => text !== '').join('\n\n')
}

const notebook = (parts: PromptParts): string => `# The notebook
Your one tool is \`execute\`. It runs a cell of TypeScript in a notebook that stays alive for the whole session (guest: ${parts.runtime}); everything you do, you do in cells.
- Top-level names persist: \`const\`, \`let\`, \`function\`, \`class\` and imports of one cell are there in the next, and a new declaration replaces an old one. Keep what you will need again in names instead of printing it.
- Top-level \`await\` works. You are shown what the cell prints, then the value of its last expression. Long output is cut; print the part you need.
- A cell that fails keeps the names it bound before the failure; its error points at the cell's own lines. Names are module-level and strict, so there is no \`delete\` of a name; a top-level \`return\` ends the cell with its value.
- Cells run one at a time. Await all you start: what goes on after its cell ended may be refused.
- Names are saved after each cell and come back when the session is resumed. A line that starts with "Notice:" tells what could not be kept or that the notebook was started anew: rely on it.`

/** pi's tools and those of extensions, as they are called. */
function toolList({ methods }: PromptParts): string {
  const tools = methods.filter(method => method.handle === 'tools')
  if (tools.length === 0) return ''
  const shown = withinBudget(tools.map(tool => `- ${signature(`tools.${tool.name}`, tool.params)}${tool.description === undefined ? '' : `: ${firstSentence(tool.description)}`}`))
  const rest = tools.slice(shown.length).map(tool => tool.name)
  return [
    '# Tools', `pi's tools are async functions in cells. Each takes one object and resolves to \`{ text, images, details }\`, as data: print what you want to see. A failed call rejects with the tool's message. \`tools.read\` adds \`raw\`, the text without the reader's notices; an image that is read is attached to the cell's result for you to see (\`images\` counts them).`,
    ...shown,
    ...(rest.length > 0 ? [`More: ${rest.slice(0, 40).join(', ')}${rest.length > 40 ? ` and ${rest.length - 40} others` : ''}. \`await rlm.tools({ query })\` gives their signatures.`] : []),
  ].join('\n')
}

/** About 1,200 tokens of signatures; a server with hundreds of tools must not fill the window. */
const TOOL_CHARS = 4800

function withinBudget(lines: readonly string[]): readonly string[] {
  let used = 0
  const end = lines.findIndex(line => (used += line.length + 1) > TOOL_CHARS)
  return end === -1 ? lines : lines.slice(0, end)
}

/** The first sentence of a description, on one line. */
export function firstSentence(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const end = /[.!?](?= |$)/.exec(line)
  const sentence = end === null ? line : line.slice(0, end.index + 1)
  return sentence.length > 160 ? `${sentence.slice(0, 159)}…` : sentence
}

const projectContext = (files: readonly ContextFile[]): string => files.length === 0 ? '' :
  ['# Project instructions', ...files.map(file => `<project_instructions path="${file.path}">\n${file.content}\n</project_instructions>`)].join('\n\n')

function skillList({ skills = [], methods }: PromptParts): string {
  const visible = skills.filter(skill => skill.disableModelInvocation !== true)
  if (visible.length === 0) return ''
  const reader = methods.some(method => method.handle === 'tools' && method.name === 'read') ? '`await tools.read({ path })`' : 'a cell that reads it'
  return [
    `# Skills\nSkills hold instructions for special tasks. When a task matches a description, load the skill's file with ${reader} before you begin; where a skill says "read", use that, too. Paths in a skill are relative to its file.`,
    '<available_skills>',
    ...visible.map(({ name, description, filePath }) => `  <skill>\n    <name>${escapeXml(name)}</name>\n    <description>${escapeXml(description)}</description>\n    <location>${escapeXml(filePath)}</location>\n  </skill>`),
    '</available_skills>',
  ].join('\n')
}

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const surroundings = ({ depth, maxDepth, date, cwd, agents }: PromptParts): string => [
  ...(agents.run ? [`Depth: ${depth} of ${maxDepth}${depth > 0 ? ' (you are a child agent: your last message is the answer your parent reads)' : ''}`] : []),
  `Current date: ${date}`,
  `Current working directory: ${cwd.replaceAll('\\', '/')}`,
].join('\n')
