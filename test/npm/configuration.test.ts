import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cacheRoot, layoutOf } from '../../plugins/npm-cache/guest/layout.ts'
import { byReference, parseNpmrc, proxyVariables, readSettings } from '../../plugins/npm-cache/guest/npmrc.ts'
import { redactor } from '../../plugins/npm-cache/guest/redact.ts'
import { temporaryFolder } from '../support/folder.ts'

describe('the cache folder', () => {
  test('is the one that is named, else the one of the XDG specification, else one below the home folder', () => {
    expect(cacheRoot({ PI_RLM_NPM_CACHE_DIR: '/own', XDG_CACHE_HOME: '/xdg', HOME: '/home/u' })).toBe('/own')
    expect(cacheRoot({ PI_RLM_NPM_CACHE_DIR: '', XDG_CACHE_HOME: '/xdg', HOME: '/home/u' })).toBe('/xdg/pi-rlm/npm')
    expect(cacheRoot({ XDG_CACHE_HOME: 'relative', HOME: '/home/u' })).toBe('/home/u/.cache/pi-rlm/npm')
  })

  test('keeps packages that may run scripts apart from those that may not', () => {
    const bases = [[], ['a'], ['a', 'b'], ['b', 'a']].map(scripts => layoutOf('/c', scripts).base)
    expect(bases[0]).not.toBe(bases[1])
    expect(bases[1]).not.toBe(bases[2])
    expect(bases[2]).toBe(bases[3])
  })
})

describe('the npm configuration', () => {
  test('is read line by line, with variables filled in', () => {
    const text = '; comment\n# comment\nregistry = https://r/ \n//r/:_authToken="${TOKEN}"\n@co:registry=https://co/\nca[]=one\nca[]=two\nflag\nunset=${NOPE}\n'
    expect(parseNpmrc(text, { TOKEN: 'abc' })).toEqual([
      ['registry', 'https://r/'], ['//r/:_authToken', 'abc'], ['@co:registry', 'https://co/'], ['ca[]', 'one'], ['ca[]', 'two'], ['flag', 'true'], ['unset', '${NOPE}'],
    ])
  })

  test('is that of the project around the working directory, of the user and of the environment', () => {
    const home = temporaryFolder()
    const project = temporaryFolder()
    mkdirSync(join(project, 'deep/er'), { recursive: true })
    writeFileSync(join(project, 'package.json'), '{}')
    writeFileSync(join(project, '.npmrc'), 'a=1\n')
    writeFileSync(join(home, '.npmrc'), 'b=2\n')
    writeFileSync(join(home, 'other'), 'c=3\n')
    expect(readSettings(join(project, 'deep/er'), { HOME: home, npm_config_d: '4' })).toEqual({ project: [['a', '1']], user: [['b', '2']], env: [['d', '4']] })
    expect(readSettings(undefined, { HOME: home, npm_config_userconfig: join(home, 'other') })).toMatchObject({ project: [], user: [['c', '3']] })
  })

  test('reaches an installer without a secret on the disk', () => {
    const { text, env } = byReference([['//r/:_authToken', 's3cret']])
    expect(text).not.toContain('s3cret')
    expect(parseNpmrc(text, env)).toEqual([['//r/:_authToken', 's3cret']])
  })

  test('gives its proxies to an installer that does not read them, and never overrides the environment', () => {
    const settings = { project: [], user: [['proxy', 'http://p:1']], env: [['noproxy', 'local']] } as const
    expect(proxyVariables(settings, {})).toEqual({ HTTP_PROXY: 'http://p:1', HTTPS_PROXY: 'http://p:1', NO_PROXY: 'local' })
    expect(proxyVariables(settings, { https_proxy: 'http://mine' })).toEqual({ HTTP_PROXY: 'http://p:1', NO_PROXY: 'local' })
    expect(proxyVariables({ project: [], user: [['proxy', 'null']], env: [] }, {})).toEqual({})
  })

  test('is blanked wherever it holds a secret, encoded or not', () => {
    const basic = Buffer.from('user:hunter22').toString('base64')
    const blank = redactor({ project: [['//r/:_authToken', 'tok-123456']], user: [['//r/:_auth', basic]], env: [] }, { MY_API_KEY: 'key-987654', HOME: '/home/u' })
    const said = blank(`GET https://user:pw@r/x tok-123456 ${basic} hunter22 key-987654 Bearer abcdef /home/u`)
    expect(said).toBe('GET https://***@r/x *** *** *** *** Bearer *** /home/u')
  })
})
