import { defineConfig } from 'vitest/config'
import base from '../../vitest.config.ts'

/** Runs the gates against copies of the sources without their guards: too long for every check. */
export default defineConfig({ root: new URL('../../', import.meta.url).pathname, test: { ...base.test, include: ['test/gates/guards.ts'], testTimeout: 600_000 } })
