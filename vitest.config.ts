// One run for every test of the workspace: a project for each of what tests need.

import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { ClosingLineReporter } from './tools/testing/closing-line-reporter.ts'
import { useTemporaryRoot } from './tools/testing/temporary-root.ts'

const POSTGRES = join(import.meta.dirname, 'packages/testing-postgres/src/vitest-global-setup.ts')
const BUILD = join(import.meta.dirname, 'tools/testing/build-before-tests.ts')
/** The tests that need a database, a network, other processes or the built program. */
const NEEDING_MORE = '**/*.{contract,pact,e2e}.test.ts'
const FAULTS = 'apps/faults/src/**/*.fault.test.ts'
const SIMULATION = 'apps/faults/src/experiments/simulation.fault.test.ts'

/**
 * In the order in which they run: tests that start programs and databases come first, and the short
 * ones after them keep every core busy until the end. Processes are shared by the files of a
 * project, not between projects, so there are few.
 */
const projectsIn = (mode: string) => [
  // Of the repository itself.
  { name: 'tools', include: ['tools/**/*.test.ts'] },
  // Of its own, because it replaces the drivers of the databases: a file after it in the same
  // process would wait forever for a simulated server.
  { name: 'simulation', include: [SIMULATION] },
  // The long forms of experiments run without the rest, which is the same in every mode.
  {
    name: 'programs',
    include: [FAULTS, ...(mode === 'test' ? [`{packages,apps}/*/src/${NEEDING_MORE}`] : [])],
    exclude: [...configDefaults.exclude, SIMULATION],
    globalSetup: [POSTGRES, BUILD],
  },
  // Programs as other teams have them. Other processes of the contract read the source too.
  {
    name: 'examples',
    include: ['examples/{,frameworks/,persistence-adapter/test/}*.test.ts'],
    env: { NODE_OPTIONS: '--conditions=@pet-store/source' },
  },
  {
    name: 'unit',
    include: ['{packages,apps}/*/src/**/*.test.ts'],
    exclude: [...configDefaults.exclude, NEEDING_MORE, '**/*.fault.test.ts'],
  },
]

/**
 * Files that take longest, in the order in which they begin. On a first run vitest knows no
 * durations and takes the largest files for the longest; one of these in the end would keep one
 * core busy and the others idle.
 */
const LONGEST = [
  'adapters-page',
  'adapter-contract.planted-faults',
  'simulation.fault',
  'comparison',
  'persistence-adapter/test/contract',
  'import-pets.continue',
  'open-persistence.failures',
  'read-replicas',
]
/** Other small files that take long: first in their project. */
const SMALL_AND_LONG = /(?:moved-files|one-port|providers|slow-clients)[.]/

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification) => {
      const position = LONGEST.findIndex((name) => moduleId.includes(`${name}.`))
      if (position >= 0) return position - LONGEST.length
      return 2 * this.ctx.projects.indexOf(project) - Number(SMALL_AND_LONG.test(moduleId)) + 1
    }
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other))
  }
}

export default defineConfig(({ mode }) => {
  // Experiments and soaks also measure how fast the service is, so their databases are on the disk.
  useTemporaryRoot(mode === 'test')

  return {
    // Tests read the source of the other packages, so a fresh clone needs no build.
    ssr: {
      resolve: { conditions: ['@pet-store/source', 'module', 'node', 'development|production'] },
    },
    test: {
      reporters: ['default', new ClosingLineReporter()],
      // These end only what hangs, beside a load of sixty too: no test is about time.
      testTimeout: 1_200_000,
      hookTimeout: 1_200_000,
      expect: { poll: { timeout: 600_000 } },
      restoreMocks: true,
      // Tests leave nothing behind in their process, so that files follow each other in one: a
      // fifth less CPU time.
      isolate: false,
      sequence: { sequencer: LongestFirst },
      // On two cores vitest would run one file at a time, although most end-to-end tests wait for
      // another process.
      maxWorkers: 2 * availableParallelism() + 1,
      maxConcurrency: 12,
      projects: projectsIn(mode).map((test) => ({ extends: true, test })),
    },
  }
})
