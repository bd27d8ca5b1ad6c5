import { describe, expect, test } from 'vitest'
import { diagnose } from '../../plugins/npm-cache/guest/diagnose.ts'
import type { RunEnd } from '../../plugins/npm-cache/guest/run.ts'

const LIMITS = { timeoutMs: 60_000, stallMs: 20_000, freeBytes: 1e12 }
const failed = (output: string): RunEnd => ({ why: 'exited', ok: false, output })

describe('the words of an installer', () => {
  test.each([
    ['bun', 'error: GET http://127.0.0.1:1/x - 404\nerror: x@1 failed to resolve', 'NPM_NOT_FOUND'],
    ['npm', 'npm error code E404\nnpm error 404 Not Found - GET http://127.0.0.1:1/x - Not found', 'NPM_NOT_FOUND'],
    ['bun', 'error: No version matching "^9" found for specifier "x" (but package exists)', 'NPM_NO_VERSION'],
    ['bun', 'error: Package "x" with tag "next" not found, but package exists', 'NPM_NO_VERSION'],
    ['npm', 'npm error code ETARGET\nnpm error notarget No matching version found for x@^9.', 'NPM_NO_VERSION'],
    ['bun', 'error: Integrity check failed for tarball: x\nerror: IntegrityCheckFailed extracting tarball from x', 'NPM_BAD_HASH'],
    ['npm', 'npm error code EINTEGRITY\nnpm error sha512-a integrity checksum failed when using sha512', 'NPM_BAD_HASH'],
    ['npm', 'npm error code TAR_BAD_ARCHIVE\nnpm error TAR_BAD_ARCHIVE: Unrecognized archive format', 'NPM_BAD_ARCHIVE'],
    ['bun', 'error: ConnectionRefused downloading package manifest x', 'NPM_NO_NETWORK'],
    ['bun', 'error: DNSResolveFailed downloading package manifest x', 'NPM_NO_NETWORK'],
    ['bun', 'error: GET http://127.0.0.1:1/x - 500', 'NPM_NO_NETWORK'],
    ['npm', 'npm error code ENOTFOUND\nnpm error network request to http://nope.invalid/x failed', 'NPM_NO_NETWORK'],
    ['npm', 'npm error code E503\nnpm error 503 Service Unavailable', 'NPM_NO_NETWORK'],
    ['bun', 'error: GET http://127.0.0.1:1/x - 401', 'NPM_REFUSED'],
    ['npm', 'npm error code E403\nnpm error 403 403 Forbidden', 'NPM_REFUSED'],
    ['npm', 'npm error code ENOSPC\nnpm error nospc ENOSPC: no space left on device, write', 'NPM_DISK_FULL'],
    ['bun', 'error: NoSpaceLeft extracting tarball from x', 'NPM_DISK_FULL'],
    ['npm', 'npm error code EMFILE\nnpm error EMFILE: too many open files', 'NPM_TOO_MANY_FILES'],
    ['npm', 'npm error code ERESOLVE\nnpm error ERESOLVE could not resolve', 'NPM_CONFLICT'],
    ['bun', 'error: postinstall script from "x" exited with 1', 'NPM_SCRIPT_FAILED'],
    ['npm', 'npm error code 1\nnpm error command failed\nnpm error command sh -c node-gyp: 404 Not Found', 'NPM_SCRIPT_FAILED'],
    ['npm', 'npm error something new', 'NPM_FAILED'],
    ['bun', '', 'NPM_FAILED'],
  ])('%s: %j means %s', (_installer, output, code) => {
    const error = diagnose('npm:x@1', failed(output), output, LIMITS)
    expect(error).toMatchObject({ name: 'NpmImportError', code })
    expect(error.message).toContain('npm:x@1')
  })

  test('are kept as the cause, shortened to what matters', () => {
    const output = `npm error code E404\n${'npm error 404 filler\n'.repeat(100)}npm error A complete log of this run can be found in: /x`
    const { cause } = diagnose('npm:x', failed(output), output, LIMITS)
    expect((cause as Error).message).toContain('E404')
    expect((cause as Error).message.split('\n').length).toBeLessThan(10)
  })

  test('are put down to the disk when they name no cause and the disk is nearly full', () => {
    const output = 'error: Fail extracting tarball from x'
    expect(diagnose('npm:x', failed(output), output, LIMITS).code).toBe('NPM_BAD_ARCHIVE')
    expect(diagnose('npm:x', failed(output), output, { ...LIMITS, freeBytes: 3e6 }).code).toBe('NPM_DISK_FULL')
  })

  test('matter less than why the installer was ended', () => {
    expect(diagnose('npm:x', { why: 'cancelled', ok: false, output: '' }, '', LIMITS).code).toBe('NPM_CANCELLED')
    expect(diagnose('npm:x', { why: 'stalled', ok: false, output: '' }, '', LIMITS)).toMatchObject({ code: 'NPM_TIMEOUT', message: expect.stringContaining('20 s') as string })
    expect(diagnose('npm:x', { why: 'time is up', ok: false, output: '' }, '', LIMITS)).toMatchObject({ code: 'NPM_TIMEOUT', message: expect.stringContaining('60 s') as string })
    expect(diagnose('npm:x', { why: 'not started', ok: false, output: '', error: new Error('spawn') }, '', LIMITS).code).toBe('NPM_NO_INSTALLER')
  })
})
