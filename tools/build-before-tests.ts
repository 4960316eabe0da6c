// Builds what tests use that no source can replace: for the program its bundle, for the package of
// the pages the client that they load. Global set-ups run one after the other, so no two builds
// write the same files.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

/** The projects of vitest.config.ts that need it. */
export const BUILT_PROJECTS: readonly string[] = ['api', 'benchmark', 'faults', 'http-express'].map(
  (name) => `@pet-store/${name}`,
)

export default function build({ name }: Pick<TestProject, 'name'>): void {
  const filter = `--filter=${name === '@pet-store/http-express' ? name : '@pet-store/api'}`
  const program = join(import.meta.dirname, 'prepare.cjs')
  const { status, stderr } = spawnSync(process.execPath, [program, 'build', filter], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`What the tests of ${name} need could not be built: ${stderr}`)
}
