// Builds what tests use as others have it: the program, and the command that checks adapters.
// Global set-ups run one after the other, so no two builds write the same files.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

const PROGRAMS = ['@pet-store/api', '@pet-store/persistence-testing']

export default function build({ name }: Pick<TestProject, 'name'>): void {
  const program = join(import.meta.dirname, '../prepare.cjs')
  const { status, stderr } = spawnSync(
    process.execPath,
    [program, 'bundle', ...PROGRAMS.map((name) => `--filter=${name}`)],
    { encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`What the tests of ${name} need could not be built: ${stderr}`)
}
