import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@pet-store/testing'
import { writeDataSet } from '../requests/data-set.ts'
import { DATABASES, type Database } from '../servers/contestants.ts'
import { openDatabases } from '../servers/databases.ts'
import { type CommandRun, runCommand } from '../servers/server-process.ts'

/** One command of ours that moved many pets. */
export interface BulkRun extends CommandRun {
  readonly database: Database
  readonly command: string
  readonly pets: number
}

/**
 * Imports a file of pets and exports it again, on both databases. Rejects when another file comes
 * out.
 */
export async function measureBulk(pets: number, log: (line: string) => void): Promise<BulkRun[]> {
  const folder = await temporaryFolder()
  const input = join(folder, 'pets.ndjson')
  const output = join(folder, 'output.ndjson')
  await writeDataSet(input, pets)
  const runs: BulkRun[] = []
  for (const database of DATABASES) {
    log(`bulk, ${database}: importing and exporting ${pets.toLocaleString('en')} pets`)
    const databases = await openDatabases(database)
    try {
      const { url, imported } = await databases.create(pets)
      const exported = await runCommand(['export', '--no-ids', '--output', output], url)
      runs.push(
        { database, command: 'import', pets, ...imported },
        { database, command: 'export', pets, ...exported },
      )
    } finally {
      await databases.close()
    }
    const [before, after] = await Promise.all([readFile(input), readFile(output)])
    if (!before.equals(after))
      throw new Error(`The pets that came out of ${database} are not those that went in.`)
  }
  return runs
}
