/** What went wrong with an `npm:` import; tell failures apart by it. */
export type NpmErrorCode =
  | 'NPM_BAD_SPECIFIER' | 'NPM_NOT_FOUND' | 'NPM_NO_VERSION' | 'NPM_NO_NETWORK' | 'NPM_REFUSED' | 'NPM_BAD_HASH' | 'NPM_BAD_ARCHIVE' | 'NPM_DISK_FULL'
  | 'NPM_NO_ACCESS' | 'NPM_TOO_MANY_FILES' | 'NPM_SCRIPT_REFUSED' | 'NPM_SCRIPT_FAILED' | 'NPM_TIMEOUT' | 'NPM_CANCELLED' | 'NPM_NO_INSTALLER' | 'NPM_CONFLICT'
  | 'NPM_DAMAGED' | 'NPM_OUTSIDE' | 'NPM_FAILED'

/** An `npm:` import that did not work; the message names the package, the cause and the next step. */
export class NpmImportError extends Error {
  override readonly name = 'NpmImportError'
  readonly code: NpmErrorCode
  constructor(code: NpmErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

/** The code of a failed system call, such as `ENOSPC`. */
export const systemCode = (error: unknown): string | undefined => {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : undefined
}

/** The error for a failed system call on the cache that says what to do about it; undefined for any other error. */
export function systemFailure(title: string, root: string, error: unknown): NpmImportError | undefined {
  const found = DISK[systemCode(error) ?? '']
  return found === undefined || error instanceof NpmImportError ? undefined : new NpmImportError(found[0], `'${title}' could not be cached in ${root}: ${found[1]}.`, error)
}

const NO_ACCESS = ['NPM_NO_ACCESS', 'the cache folder cannot be written. Make it writable or point PI_RLM_NPM_CACHE_DIR elsewhere'] as const
const FULL = ['NPM_DISK_FULL', 'the disk is full. Free some space or point PI_RLM_NPM_CACHE_DIR elsewhere, then import again'] as const
const FILES = ['NPM_TOO_MANY_FILES', 'too many files are open. Close some, then import again'] as const
const DISK: Readonly<Record<string, readonly [NpmErrorCode, string] | undefined>> = {
  ENOSPC: FULL, EDQUOT: FULL, EMFILE: FILES, ENFILE: FILES, EACCES: NO_ACCESS, EPERM: NO_ACCESS, EROFS: NO_ACCESS, ENOTDIR: NO_ACCESS,
}
