// Everything that must hold before a change is done, cheapest first; stops at the first thing that does not.
// Each step is a script of package.json, so that it can also be run alone.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const STEPS = {
  'Format: every file looks as Biome writes it (pnpm format repairs)': 'check:format',
  'Lint: small mistakes, and promises that nobody awaits': 'lint',
  'Types: every package and tool, from source': 'types',
  'Imports: every import is one that the dependency rule allows': 'imports',
  'Words: none that this project does not use': 'words',
  'Knip: no unused file, export or dependency': 'unused',
  'Sherif: the manifests of the workspace agree': 'manifests',
  'Description: well-formed, and still good for every client of the released one': 'description',
  'Tests: all of them': 'test',
  'Build: what Node and other teams will load': 'build',
  'Packages: what they contain can be imported and typed': 'check:package',
}

const root = new URL('..', import.meta.url)
const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  scripts: Record<string, string>
}
const start = Date.now()

for (const [heading, script] of Object.entries(STEPS)) {
  const command = scripts[script]
  if (command === undefined) throw new Error(`package.json has no script "${script}".`)

  console.log(`\n── ${heading} (pnpm ${script})`)
  const { status } = spawnSync(command, { cwd: root, shell: true, stdio: ['ignore', 'inherit', 'inherit'] })
  if (status !== 0) {
    console.error(`\nStopped: pnpm ${script} found something.`)
    process.exit(status || 1)
  }
}

console.log(`\nEverything holds; that took ${Math.round((Date.now() - start) / 1000)} s.`)
