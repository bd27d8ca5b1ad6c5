import { defineConfig } from 'vitest/config'

// Where the counts of a run are written, for what has to report them.
const report = process.env['PI_RLM_TEST_REPORT']

export default defineConfig({
  test: {
    reporters: report === undefined ? ['default'] : ['default', 'json'],
    ...(report !== undefined && { outputFile: { json: report } }),
    include: ['test/**/*.test.ts'],
    exclude: ['test/e2e/node_modules/**', 'node_modules/**'],
    globalSetup: ['test/setup/build.ts'],
    setupFiles: ['test/setup/host-survives.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
  },
})
