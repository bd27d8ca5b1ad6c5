/** The parts of a JSON schema that a signature shows. TypeBox schemas and those of MCP servers both are such. */
interface Shape {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly items?: Shape | readonly Shape[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Shape[]
  readonly oneOf?: readonly Shape[]
  readonly allOf?: readonly Shape[]
  readonly additionalProperties?: Shape | boolean
}

/** Objects deeper than this are written `{…}`: a signature is read at a glance. */
const DEPTH = 3
const PLAIN: Readonly<Record<string, string>> = { string: 'string', number: 'number', integer: 'number', boolean: 'boolean', null: 'null' }
/** Longer unions are cut after so many members. */
const MEMBERS = 8

/** How a method is called, as TypeScript: `read({ path: string, offset?: number })`. */
export function signature(name: string, schema: object): string {
  const shape = schema as Shape
  const properties = Object.entries(shape.properties ?? {})
  if (properties.length > 0) return `${name}(${objectText(shape, 0)})`
  return typeof shape.additionalProperties === 'object' || shape.additionalProperties === true ? `${name}(${typeText(shape)})` : `${name}()`
}

/** A schema as a TypeScript type, short enough for a prompt. */
export function typeText(schema: object, depth = 0): string {
  const shape = schema as Shape
  if (shape.const !== undefined) return literal(shape.const)
  if (shape.enum) return union(shape.enum.map(literal))
  const choices = shape.anyOf ?? shape.oneOf
  if (choices) return union(choices.map(choice => typeText(choice, depth)))
  if (shape.allOf) return shape.allOf.map(part => typeText(part, depth)).join(' & ')
  if (Array.isArray(shape.type)) return union((shape.type as readonly string[]).map(type => typeText({ ...shape, type }, depth)))
  if (shape.type === 'array') return arrayText(shape, depth)
  if (shape.type === 'object' || shape.properties) return objectText(shape, depth)
  return PLAIN[shape.type as string] ?? 'unknown'
}

function objectText(shape: Shape, depth: number): string {
  const properties = Object.entries(shape.properties ?? {})
  if (properties.length === 0) return typeof shape.additionalProperties === 'object' ? `Record<string, ${typeText(shape.additionalProperties, depth)}>` : 'object'
  if (depth >= DEPTH) return '{…}'
  const fields = properties.map(([key, value]) => `${keyText(key)}${shape.required?.includes(key) === true ? '' : '?'}: ${typeText(value, depth + 1)}`)
  return `{ ${fields.join(', ')} }`
}

function arrayText(shape: Shape, depth: number): string {
  const { items } = shape
  if (items === undefined) return 'unknown[]'
  if (Array.isArray(items)) return `[${(items as readonly Shape[]).map(item => typeText(item, depth)).join(', ')}]`
  const element = typeText(items, depth)
  return / [|&] /.test(element) && isChoice(items as Shape) ? `(${element})[]` : `${element}[]`
}

const isChoice = (shape: Shape): boolean => (shape.anyOf ?? shape.oneOf ?? shape.enum ?? shape.allOf) !== undefined || Array.isArray(shape.type)

function union(members: readonly string[]): string {
  const distinct = [...new Set(members)]
  return distinct.length > MEMBERS ? `${distinct.slice(0, MEMBERS).join(' | ')} | …` : distinct.join(' | ')
}

const literal = (value: unknown): string => typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll('\'', '\\\'')}'` : JSON.stringify(value)

const keyText = (key: string): string => /^[A-Za-z_$][\w$]*$/.test(key) ? key : literal(key)
