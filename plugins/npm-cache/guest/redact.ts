import type { Environment, NpmSettings } from './npmrc.ts'

const SECRET = /auth|token|password|passwd|secret|credential|api_?key|private_?key/i
const SHORTEST = 4

/** Makes a function that blanks every secret of the npm configuration and the environment, and user data in URLs. */
export function redactor(settings: NpmSettings, env: Environment): (text: string) => string {
  const named = [...settings.project, ...settings.user, ...settings.env, ...Object.entries(env)]
  const secrets = named.flatMap(([key, value]) => value !== undefined && value.length >= SHORTEST && SECRET.test(key) ? [value, decoded(value)] : [])
  const longestFirst = [...new Set(secrets)].filter(secret => secret.length >= SHORTEST).sort((a, b) => b.length - a.length)
  return text => longestFirst
    .reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
    .replace(/\/\/[^\s/@]+@/g, '//***@')
    .replace(/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, '$1 ***')
}

/** What a Base64 setting such as `_auth` or `_password` stands for. */
function decoded(value: string): string {
  const text = Buffer.from(value, 'base64').toString('utf8')
  return /^[\x20-\x7e]+$/.test(text) ? text.replace(/^[^:]*:/, '') : ''
}
