import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

/** Imports a file of pets and exports it again, on both databases. Rejects when another file comes out. */
export async function measureBulk(pets: number, log: (line: string) => void): Promise<BulkRun[]> {
  const folder = await mkdtemp(join(tmpdir(), 'pet-store-bulk-'))
  const [input, output] = [join(folder, 'pets.ndjson'), join(folder, 'output.ndjson')]
  const runs: BulkRun[] = []
  try {
    await writeDataSet(input, pets)
    for (const database of DATABASES) {
      log(`bulk, ${database}: importing and exporting ${pets.toLocaleString('en')} pets`)
      const databases = await openDatabases(database, 0)
      try {
        const { url } = await databases.create()
        for (const [command, ...args] of [
          ['import', input],
          ['export', '--no-ids', '--output', output],
        ] as const) {
          runs.push({ database, command, pets, ...(await runCommand([command, ...args], url)) })
        }
      } finally {
        await databases.close()
      }
      const [before, after] = await Promise.all([readFile(input), readFile(output)])
      if (!before.equals(after)) throw new Error(`The pets that came out of ${database} are not those that went in.`)
    }
    return runs
  } finally {
    await rm(folder, { recursive: true })
  }
}
