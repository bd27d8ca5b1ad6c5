const { stringify } = JSON
const { keys } = Object
const { isArray } = Array

/**
 * JSON text of plain data. `JSON.stringify` itself meets only strings here: with objects it would ask `toJSON` of
 * prototypes that a cell can change.
 */
export function encode(value: unknown): string {
  switch (typeof value) {
    case 'string': return stringify(value)
    case 'number': return value - value === 0 ? `${value}` : 'null'
    case 'boolean': return value ? 'true' : 'false'
    case 'object': return value === null ? 'null' : isArray(value) ? encodeArray(value) : encodeObject(value as Record<string, unknown>)
    case 'bigint': case 'symbol': case 'undefined': case 'function': return 'null'
  }
}

function encodeArray(value: readonly unknown[]): string {
  let text = '['
  for (let i = 0; i < value.length; i++) text += (i === 0 ? '' : ',') + encode(value[i])
  return text + ']'
}

function encodeObject(value: Record<string, unknown>): string {
  const names = keys(value)
  let text = ''
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!
    const field = value[name]
    if (field !== undefined) text += (text === '' ? '' : ',') + stringify(name) + ':' + encode(field)
  }
  return `{${text}}`
}
