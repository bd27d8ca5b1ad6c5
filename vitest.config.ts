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
    // A shared machine can stall a terminal for longer than any limit; a second try tells that from a fault, and is reported.
    retry: process.env['CI'] === undefined ? 0 : 1,
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
  },
})
