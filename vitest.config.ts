// One run for every test of the workspace: a project per package and app, named like the package.
import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, matchesGlob } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { BUILT_PROJECTS } from './tools/build-before-tests.ts'
import { ClosingLineReporter } from './tools/closing-line-reporter.ts'
import { useTemporaryRoot } from './tools/temporary-root.ts'

const POSTGRES = join(import.meta.dirname, 'packages/testing-postgres/src/vitest-global-setup.ts')
const BUILD = join(import.meta.dirname, 'tools/build-before-tests.ts')
/** The tests that need a database, a network, other processes or the built program. */
const NEEDING_MORE = '**/*.{contract,pact,e2e,fault}.test.ts'
const members = globSync('{packages,apps}/*/package.json', { cwd: import.meta.dirname }).sort()

/**
 * Tests that start programs and databases first: the short ones after them keep every core busy
 * until the end.
 */
class UnitTestsLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isUnitTest = ({ moduleId }: TestSpecification) => !matchesGlob(moduleId, NEEDING_MORE)
    const sorted = await super.sort(files)
    return [...sorted.filter((file) => !isUnitTest(file)), ...sorted.filter(isUnitTest)]
  }
}

/** Tests of the repository itself, and programs as other teams have them. */
const OTHER_PROJECTS = [
  { extends: true, test: { name: 'tools', root: 'tools', include: ['**/*.test.ts'] } },
  {
    extends: true,
    test: {
      name: '@pet-store/examples',
      root: 'examples',
      include: ['*.test.ts', '{frameworks,persistence-adapter/test}/*.test.ts'],
      // Other processes of the contract read the source too.
      env: { NODE_OPTIONS: '--conditions=@pet-store/source' },
    },
  },
]

export default defineConfig(({ mode }) => {
  // Experiments and soaks also measure how fast the service is, so their databases are on the disk.
  useTemporaryRoot(mode === 'test' || mode === 'unit')
  const exclude = [...configDefaults.exclude, ...(mode === 'unit' ? [NEEDING_MORE] : [])]

  return {
    // Tests read the source of the other packages, so a fresh clone needs no build.
    ssr: {
      resolve: { conditions: ['@pet-store/source', 'module', 'node', 'development|production'] },
    },
    test: {
      reporters: ['default', new ClosingLineReporter()],
      // These end only what hangs, beside a load of thirty too: no test is about time.
      testTimeout: 1_200_000,
      hookTimeout: 1_200_000,
      expect: { poll: { timeout: 120_000 } },
      restoreMocks: true,
      exclude,
      // Tests leave nothing behind in their process, so that files follow each other in one: a
      // fifth less CPU time.
      isolate: false,
      sequence: { sequencer: UnitTestsLast },
      // On two cores vitest would run one file at a time, although most end-to-end tests wait for
      // another process.
      maxWorkers: 2 * availableParallelism() + 1,
      projects: [
        ...(mode === 'unit' ? [] : OTHER_PROJECTS),
        ...members.map((member) => ({
          extends: true as const,
          test: {
            name: nameIn(member),
            root: dirname(member),
            include: ['src/**/*.test.ts'],
            globalSetup: mode === 'unit' ? [] : globalSetupOf(member),
          },
        })),
      ],
    },
  }
})

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

function manifestOf(member: string): Manifest {
  return JSON.parse(readFileSync(join(import.meta.dirname, member), 'utf8')) as Manifest
}

function nameIn(member: string): string {
  return manifestOf(member).name
}

function globalSetupOf(member: string): string[] {
  return [
    ...(needsPostgres(member) ? [POSTGRES] : []),
    ...(BUILT_PROJECTS.includes(nameIn(member)) ? [BUILD] : []),
  ]
}

/** A project whose tests depend on a real PostgreSQL gets one server for all its files. */
function needsPostgres(member: string): boolean {
  const { dependencies, devDependencies } = manifestOf(member)
  return '@pet-store/testing-postgres' in { ...dependencies, ...devDependencies }
}
