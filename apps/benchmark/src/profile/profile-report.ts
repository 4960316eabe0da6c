import { type Circumstances, circumstancesTable } from '../report/circumstances.ts'
import { type Report, table } from '../report/markdown.ts'
import type { Profile } from './profile.ts'
import type { Part } from './profile-summary.ts'

const PACKAGES = 6
const FUNCTIONS = 8

export function profileReport(profiles: readonly Profile[], circumstances: Circumstances): Report {
  const page = [
    '# Where the service spends its time',
    'Parts of the busy time of the process under load, after warming up; each function without those that it calls. Native code counts for the package that calls it. `(program)` is the system and the runtime, below any function.',
    circumstancesTable(circumstances),
    ...profiles.flatMap(({ database, operation, summary }) => [
      `## ${operation.title}, ${database}`,
      table(['package', '%'], rows(summary.packages, PACKAGES)),
      table(['function', '%'], rows(summary.functions, FUNCTIONS)),
    ]),
  ]
  return { 'profile.md': `${page.join('\n\n')}\n` }
}

function rows(parts: readonly Part[], most: number): string[][] {
  return parts.slice(0, most).map(({ name, part }) => [name, (part * 100).toFixed(1)])
}
