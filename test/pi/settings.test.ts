import { expect, test } from 'vitest'
import { readEnvironment, takeEnvironment, withoutOurs } from '../../presets/pi/environment.ts'
import { isForced, readSettings } from '../../presets/pi/settings.ts'

test('a cell has no time limit where a person watches, and half an hour where nobody does', () => {
  expect(readSettings({}, true).cellTimeoutMs).toBeNull()
  expect(readSettings({}, false).cellTimeoutMs).toBe(1_800_000)
  expect(readSettings({ PI_RLM_CELL_TIMEOUT_MS: '5000' }, true).cellTimeoutMs).toBe(5000)
  expect(readSettings({ PI_RLM_CELL_TIMEOUT_MS: '0' }, false).cellTimeoutMs).toBeNull()
})

test.each([
  ['PI_RLM_CELL_TIMEOUT_MS', '30m'], ['PI_RLM_CELL_TIMEOUT_MS', '-1'], ['PI_RLM_CELL_TIMEOUT_MS', '1e3'], ['PI_RLM_CELL_TIMEOUT_MS', '99999999999'], ['PI_RLM_TREE', 'maybe'],
])('a value that does not parse is an error that names it: %s=%s', (name, value) => {
  expect(() => readSettings({ [name]: value }, true)).toThrow(`${name}='${value}'`)
})

test('PI_RLM_FORCE is on, off, or an error', () => {
  expect([isForced({}), isForced({ PI_RLM_FORCE: '0' }), isForced({ PI_RLM_FORCE: '1' }), isForced({ PI_RLM_FORCE: 'true' })]).toEqual([false, false, true, true])
  expect(() => isForced({ PI_RLM_FORCE: 'perhaps' })).toThrow('PI_RLM_FORCE=\'perhaps\'')
})

test('the variables leave the environment that shells inherit, and are still known after a reload', () => {
  const env: NodeJS.ProcessEnv = { PI_RLM_PRESET: 'node', PATH: '/bin' }
  expect(readEnvironment(env)).toEqual({ PI_RLM_PRESET: 'node' })
  expect(env['PI_RLM_PRESET']).toBe('node')
  expect(takeEnvironment(env)['PI_RLM_PRESET']).toBe('node')
  expect(env).toEqual({ PATH: '/bin' })
  expect(takeEnvironment(env)['PI_RLM_PRESET']).toBe('node')
  expect(withoutOurs({ PI_RLM_FORCE: '1', HOME: '/h', GONE: undefined })).toEqual({ HOME: '/h' })
})
