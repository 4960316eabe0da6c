// One run for every test of the workspace: a project per package and app, named like the package.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { ClosingLineReporter } from './tools/closing-line-reporter.ts'

const members = globSync('{packages,apps}/*/package.json', { cwd: import.meta.dirname }).sort()

export default defineConfig({
  // Tests read the source of the other packages, so a fresh clone needs no build.
  ssr: { resolve: { conditions: ['@pet-store/source', 'module', 'node', 'development|production'] } },
  test: {
    reporters: ['default', new ClosingLineReporter()],
    // Two cores: a contract or end-to-end test may wait for the other one's database or port.
    testTimeout: 15_000,
    hookTimeout: 30_000,
    projects: [
      { extends: true, test: { name: 'tools', root: 'tools', include: ['**/*.test.ts'] } },
      ...members.map((member) => ({
        extends: true as const,
        test: { name: nameIn(member), root: dirname(member), include: ['src/**/*.test.ts'] },
      })),
    ],
  },
})

function nameIn(member: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(import.meta.dirname, member), 'utf8'))
  return (manifest as { name: string }).name
}
