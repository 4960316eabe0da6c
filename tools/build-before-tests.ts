// Builds what tests use that no source can replace: for the program its bundle, for the package of the pages the client
// that they load. Global set-ups run one after the other, so no two builds write the same files.
import { spawnSync } from 'node:child_process'
import type { TestProject } from 'vitest/node'

const PROGRAM = ['node', 'tools/prepare.cjs', 'build', '--filter=@pet-store/api']
const BUILDS: Readonly<Record<string, readonly string[]>> = {
  '@pet-store/api': PROGRAM,
  '@pet-store/benchmark': PROGRAM,
  '@pet-store/faults': PROGRAM,
  '@pet-store/http-express': ['pnpm', '--filter=@pet-store/http-express', 'run', '--silent', 'build:pages'],
}

/** The projects of vitest.config.ts that need it. */
export const BUILT_PROJECTS: readonly string[] = Object.keys(BUILDS)

export default function build({ name }: Pick<TestProject, 'name'>): void {
  const [command = '', ...given] = BUILDS[name] ?? []
  const { status, stdout, stderr } = spawnSync(command, given, {
    cwd: new URL('..', import.meta.url),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`What the tests of ${name} need could not be built: ${stdout}${stderr}`)
}
