import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take minutes: begun last, each would run on beside an idle worker. */
const LONG = ['test/engine.contract.test.ts', 'test/gates/', 'test/e2e/', 'test/faults/', 'test/corpus/']

class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONG.findIndex(name => moduleId.includes(name))
      return at < 0 ? LONG.length : at
    }
    return Promise.resolve([...files].sort((a, b) => rank(a) - rank(b)))
  }
}

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
    sequence: { sequencer: LongestFirst },
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
  },
})
