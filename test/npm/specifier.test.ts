import { describe, expect, test } from 'vitest'
import { parseSpecifier } from '../../plugins/npm-cache/guest/specifier.ts'

describe('an npm: specifier', () => {
  test.each([
    ['npm:zod', 'zod', 'latest', '', false],
    ['npm:zod@4', 'zod', '4', '', false],
    ['npm:zod@4.1.12', 'zod', '4.1.12', '', true],
    ['npm:zod@4.0.0-beta.1/v4/core', 'zod', '4.0.0-beta.1', 'v4/core', true],
    ['npm:zod@^4.1', 'zod', '^4.1', '', false],
    ['npm:zod@~4', 'zod', '~4', '', false],
    ['npm:zod@>=3 <5', 'zod', '>=3 <5', '', false],
    ['npm:zod@3 || 4.x', 'zod', '3 || 4.x', '', false],
    ['npm:zod@1.2.3 - 2.0', 'zod', '1.2.3 - 2.0', '', false],
    ['npm:zod@*', 'zod', '*', '', false],
    ['npm:zod@next', 'zod', 'next', '', false],
    ['npm:typescript@release-5.9', 'typescript', 'release-5.9', '', false],
    ['npm:@scope/name', '@scope/name', 'latest', '', false],
    ['npm:@scope/name@1.2.3/sub/path.js', '@scope/name', '1.2.3', 'sub/path.js', true],
    ['npm:lodash.get@4', 'lodash.get', '4', '', false],
    ['npm:a/b@2/c', 'a', 'latest', 'b@2/c', false],
  ])('%s asks for %s at %s', (specifier, name, range, subpath, exact) => {
    expect(parseSpecifier(specifier)).toMatchObject({ name, range, subpath, exact })
  })

  const hostile = [
    'npm:', 'npm:/', 'npm:@', 'npm:@/x', 'npm:@scope', 'npm:@scope/', 'npm:../x', 'npm:./x', 'npm:/etc/passwd', 'npm:..', 'npm:.', 'npm:.bin', 'npm:.bin/x', 'npm:_x', 'npm:@.a/b',
    'npm:a@', 'npm:a@npm:b', 'npm:a@npm:b@1', 'npm:a@file:..', 'npm:a@file:../x', 'npm:a@link:x', 'npm:a@workspace:*', 'npm:a@https://h/t.tgz', 'npm:a@http:x', 'npm:a@git+ssh://x', 'npm:a@git:x',
    'npm:a@github:u/r', 'npm:a@..', 'npm:a@.', 'npm:a@~/x', 'npm:a@x.tgz', 'npm:a@1.0.0-x.tar.gz', 'npm:a@1.tar', 'npm:a@@1', 'npm:a@1@2', 'npm:a@-g', 'npm:a@--prefix=x', 'npm:a@1;rm -rf x', 'npm:a@$(x)',
    'npm:a@1/../../../etc/hostname', 'npm:a/..', 'npm:a/./b', 'npm:a//b', 'npm:a/', 'npm:a/b/', 'npm:a/.bin/x', 'npm:a/node_modules/b', 'npm:a/b\\..\\c', 'npm:a/b?x', 'npm:a/b#x', 'npm:a/b:c',
    'npm:a%2f..%2fb', 'npm:a/%2e%2e/b', 'npm:a@%31', 'npm:A', 'npm:Á', 'npm:a b', ' npm:a', 'npm: a', 'npm:a ', 'npm:a@1 ', 'npm:a@ 1', 'npm:a@1  2', 'npm:a\n', 'npm:a@1\n', 'npm:a/b\n', 'npm:a\0', 'npm:a@1\0', 'npm:a/b\0',
    'npm:node_modules', 'npm:favicon.ico', 'npm:npm:a', 'npm:--help', 'npm:-g', 'npm:~x', `npm:${'a'.repeat(215)}`, `npm:a@${'1'.repeat(129)}`, `npm:a/${'b'.repeat(1100)}`, `npm:${'a'.repeat(10_000)}`,
  ]
  test.each(hostile)('%j is refused by name', specifier => {
    expect(() => parseSpecifier(specifier)).toThrow(expect.objectContaining({ name: 'NpmImportError', code: 'NPM_BAD_SPECIFIER' }) as Error)
  })

  test('a refusal quotes no more than a line of what was written', () => {
    for (const specifier of hostile) {
      try { parseSpecifier(specifier) } catch (error) { expect((error as Error).message.length).toBeLessThan(400) }
    }
  })

  test('whatever passes can neither leave a folder nor be taken for an address by an installer', () => {
    const pieces = ['npm:', 'a', '@', '/', '..', '.', ':', '1', '^', ' ', '\\', '%2f', '~', '-', 'x', '@s/', 'file:', '.tgz', '||', '*', '>', '=', '\n', 'node_modules']
    let state = 7
    const random = (below: number) => { state = (state * 48271) % 2147483647; return state % below }
    let passed = 0
    for (let round = 0; round < 50_000; round++) {
      const specifier = `npm:${Array.from({ length: 1 + random(6) }, () => pieces[random(pieces.length)]).join('')}`
      try {
        const { name, range, subpath } = parseSpecifier(specifier)
        passed++
        expect(name, specifier).toMatch(/^(@[a-z0-9-][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*$/)
        expect(range, specifier).not.toMatch(/[:/\\%\n]|^\.|^-|^~\/|\.t(ar|gz)/)
        expect(`/${subpath}/`, specifier).not.toMatch(/\/\.|[:\\%\n]|\/node_modules\//)
      } catch (error) { expect((error as { code?: string }).code, specifier).toBe('NPM_BAD_SPECIFIER') }
    }
    expect(passed).toBeGreaterThan(500)
  })
})
