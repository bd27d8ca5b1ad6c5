import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
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
