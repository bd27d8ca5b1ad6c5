import { NpmImportError } from './errors.ts'

/** What an `npm:` specifier asks for. */
export interface PackageRequest {
  readonly name: string
  /** An exact version, a range or a tag; `latest` when none was written. */
  readonly range: string
  readonly exact: boolean
  /** The path inside the package, without a leading slash; empty for the package itself. */
  readonly subpath: string
  /** `npm:name@range`, for messages. */
  readonly title: string
}

const NAME = /^(?:@[a-z0-9-][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*$/
const EXACT = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/
const TAG = /^[A-Za-z][A-Za-z0-9._-]*$/
const COMPARATOR = /^(?:[<>]=?|=|\^|~)?v?(?:\d+|[xX*])(?:\.(?:\d+|[xX*])){0,2}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/
/** Installers read a version that ends like this as a file. */
const ARCHIVE = /\.(?:tgz|tar|tar\.gz)$/i
const SEGMENT = /^[A-Za-z0-9_~$!@+,=-][A-Za-z0-9._~$!@+,=-]*$/
const LIMIT = { specifier: 1024, name: 214, range: 128 } as const

/** Whether text is one exact version, safe to be part of a folder's name. */
export const isExact = (version: string): boolean => version.length <= LIMIT.range && EXACT.test(version)

/**
 * Reads an `npm:` specifier. This is the security border: what passes is handed to an installer and becomes part of
 * a path, so aliases, URLs, files, git addresses, escapes and steps upward are refused here, before anything starts.
 */
export function parseSpecifier(specifier: string): PackageRequest {
  const refuse = (problem: string): never => { throw badSpecifier(specifier, problem) }
  if (specifier.length > LIMIT.specifier) refuse(`it is ${specifier.length} characters long, more than ${LIMIT.specifier}`)
  const parts = /^npm:((?:@[^/@]*\/)?[^/@]*)(?:@([^/]*))?(?:\/(.*))?$/s.exec(specifier)
  if (parts === null) return refuse('it does not name a package')
  const [, name = '', range, subpath] = parts
  if (name.length > LIMIT.name || !NAME.test(name) || name === 'node_modules' || name === 'favicon.ico') refuse(`${quoted(name)} is not a package name`)
  if (range !== undefined && !isRange(range)) refuse(`${quoted(range)} is not a version, range or tag`)
  if (subpath !== undefined && !subpath.split('/').every(isSegment)) refuse(`${quoted(subpath)} is not a path inside a package`)
  const wanted = range ?? 'latest'
  return { name, range: wanted, exact: isExact(wanted), subpath: subpath ?? '', title: `npm:${name}${range === undefined ? '' : `@${range}`}` }
}

const isSegment = (segment: string): boolean => SEGMENT.test(segment) && segment !== 'node_modules'

function isRange(range: string): boolean {
  if (range.length > LIMIT.range || ARCHIVE.test(range)) return false
  if (TAG.test(range) && !/^[vx]$/i.test(range)) return true
  return range.split(' || ').every(part => part.split(' - ').every(side => side.split(' ').every(one => COMPARATOR.test(one))))
}

const quoted = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)

const badSpecifier = (specifier: string, problem: string): NpmImportError =>
  new NpmImportError('NPM_BAD_SPECIFIER', `${quoted(specifier)} cannot be imported: ${problem}. Write npm:name, npm:name@version or npm:name@version/path.`)
