import { type NpmErrorCode, NpmImportError } from './errors.ts'
import type { RunEnd } from './run.ts'

type Cause = readonly [pattern: RegExp, code: NpmErrorCode, text: string]
const FULL: Cause = [/ENOSPC|EDQUOT|no space left|NoSpaceLeft|disk quota/i, 'NPM_DISK_FULL', 'the disk is full. Free some space or point PI_RLM_NPM_CACHE_DIR elsewhere, then import again']

/** What an installer's words mean: the first pattern that fits decides. */
const CAUSES: readonly Cause[] = [
  // First, because a script may say anything.
  [/install script from|script from "|npm error command failed|ELIFECYCLE/, 'NPM_SCRIPT_FAILED', 'an install script that the preset allows has failed'],
  FULL,
  [/EMFILE|ENFILE|too many open files|FdQuotaExceeded/i, 'NPM_TOO_MANY_FILES', 'too many files are open. Close some, then import again'],
  [/EINTEGRITY|integrity check ?failed|IntegrityCheckFailed/i, 'NPM_BAD_HASH', 'what the registry sent does not match its hash. Import again; if it stays so, the registry or a proxy changes the package'],
  [/TAR_BAD_ARCHIVE|Z_BUF_ERROR|Z_DATA_ERROR|zlib|unexpected end of file|extracting tarball|Fail extracting/i, 'NPM_BAD_ARCHIVE', 'the archive from the registry is damaged. Import again'],
  [/ETARGET|No version matching|with tag .* not found|no matching version/i, 'NPM_NO_VERSION', 'the registry has no version that fits. Ask for another version, range or tag'],
  [/\bE404\b|- 404\b|404 Not Found/i, 'NPM_NOT_FOUND', 'the registry has no such package. Check the name and the registry your npm configuration names'],
  [/\bE40[13]\b|- 40[13]\b|ENEEDAUTH|Unauthorized|Forbidden/i, 'NPM_REFUSED', 'the registry refused access. Check the login in your npm configuration'],
  [/ERESOLVE|could not resolve dependency/i, 'NPM_CONFLICT', 'its peer dependencies conflict. Ask for another version'],
  [/ENOTFOUND|EAI_AGAIN|DNSResolveFailed|ECONNREFUSED|ConnectionRefused|ECONNRESET|ConnectionClosed|ConnectionReset|ETIMEDOUT|ESOCKETTIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|FailedToOpenSocket|ERR_SOCKET_TIMEOUT|Timeout downloading|socket hang up|CERT|SELF_SIGNED|unable to verify/i,
    'NPM_NO_NETWORK', 'the registry could not be reached. Check the network and the registry and proxy of your npm configuration, then import again'],
  [/\bE5\d\d\b|- 5\d\d\b/, 'NPM_NO_NETWORK', 'the registry has a failure of its own. Import again later'],
  [/EACCES|EPERM|EROFS|AccessDenied|permission denied/i, 'NPM_NO_ACCESS', 'the cache folder cannot be written. Make it writable or point PI_RLM_NPM_CACHE_DIR elsewhere'],
]

interface Limits { readonly timeoutMs: number; readonly stallMs: number; readonly freeBytes: number }

/** With less than this free, an archive that cannot be unpacked is put down to the disk: bun does not say why it failed. */
const SCARCE_BYTES = 32 << 20

/** The error for an installer run that failed; `output` must hold no secrets any more. */
export function diagnose(title: string, end: RunEnd, output: string, limits: Limits): NpmImportError {
  switch (end.why) {
    case 'cancelled': return cancelled(title)
    case 'stalled': return new NpmImportError('NPM_TIMEOUT', `'${title}' could not be installed: nothing moved for ${seconds(limits.stallMs)}. The registry may be silent or very slow; check the network, then import again.`, said(output))
    case 'time is up': return new NpmImportError('NPM_TIMEOUT', `'${title}' could not be installed within ${seconds(limits.timeoutMs)}. Import again: what was downloaded is kept; or raise the option timeoutMs of npm-cache.`, said(output))
    case 'not started': return new NpmImportError('NPM_NO_INSTALLER', `'${title}' could not be installed: the installer could not be started.`, end.error)
    case 'exited': return fromOutput(title, output, limits.freeBytes < SCARCE_BYTES)
  }
}

/** The error of an import whose cell was cancelled. */
export const cancelled = (title: string): NpmImportError => new NpmImportError('NPM_CANCELLED', `'${title}' was not installed: the cell was cancelled.`)

function fromOutput(title: string, output: string, scarce: boolean): NpmImportError {
  const found = CAUSES.find(([pattern, code]) => pattern.test(output) && (code !== 'NPM_BAD_ARCHIVE' || !scarce)) ?? (scarce ? FULL : undefined)
  if (found === undefined) return new NpmImportError('NPM_FAILED', `'${title}' could not be installed: ${essence(output).join('; ') || 'the installer said nothing'}.`, said(output))
  return new NpmImportError(found[1], `'${title}' could not be installed: ${found[2]}.`, said(output))
}

const seconds = (ms: number): string => `${ms / 1000} s`

/** The installer's own words, as the cause. */
function said(output: string): Error | undefined {
  const lines = essence(output)
  return lines.length === 0 ? undefined : new Error(lines.join('\n'))
}

const MAX_LINES = 8

function essence(output: string): string[] {
  const lines = output.split('\n').map(line => line.trim()).filter(line => /error|fail|warn/i.test(line) && !/complete log|Log files were not|^npm error\s*$/.test(line))
  return lines.slice(0, MAX_LINES).map(line => line.slice(0, 300))
}
