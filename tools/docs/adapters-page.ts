// `pnpm adapters`: checks the adapters of this repository, bundled, by `pet-store-adapter check`,
// and writes what it prints into docs/adapters.md. adapters-page.contract.test.ts compares
// the page with a check.
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../root.ts'
import { run } from '../run-command.ts'
import { bundleAdapter, HARNESS } from './adapter-bundle.ts'

export const PAGE: string = join(ROOT, 'docs/adapters.md')
const ADAPTERS = { SQLite: 'persistence-sqlite', PostgreSQL: 'persistence-postgres' } as const

/** Runs every contract against each adapter; rejects with the report if a guarantee has failed. */
export async function createAdaptersPage(): Promise<string> {
  const sections = await Promise.all(
    Object.entries(ADAPTERS).map(([name, folder]) => sectionOf(name, folder)),
  )
  return `# What the adapters guarantee

No guarantee has failed. This page shows what was not tested, and why.
The command also counts the guarantees that have passed, and lists them with \`--all\`.
\`pnpm adapters\` writes this page; a test compares it with a check.
To check your own adapter: [add a persistence adapter](how-to/add-a-persistence-adapter.md).

${sections.join('\n')}
The check of PostgreSQL starts a server of its own; with \`--url postgres://…\` it uses an empty
database of yours instead, and then can neither stop nor freeze it.
`
}

async function sectionOf(name: string, folder: string): Promise<string> {
  const temporary = await mkdtemp(join(tmpdir(), 'pet-store-'))
  const { command: program, harness } = await bundleAdapter(folder, temporary)
  const node = [process.execPath, '--conditions=@pet-store/source']
  const report = await run(ROOT, [...node, program, 'check', '--harness', harness])
  await rm(temporary, { recursive: true })
  // Only what does not change with each case.
  const lines = report.split('\n').filter((line) => /^(Not tested|Declared)/.test(line))
  const command = `pnpm adapter check --harness packages/${folder}/${HARNESS}`
  const output = [`$ ${command}`, ...lines].join('\n')
  return `## ${name}\n\n\`\`\`console\n${output}\n\`\`\`\n`
}

if (import.meta.main) writeFileSync(PAGE, await createAdaptersPage())
