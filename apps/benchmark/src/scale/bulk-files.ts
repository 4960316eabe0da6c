import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type DataPet, dataPet, newPetJson } from '../requests/data-set.ts'
import { copyLine } from '../servers/sqlite-file.ts'

export const FORMATS = ['ndjson', 'csv'] as const

/** A file with the data set. */
interface BulkFile {
  readonly path: string
  readonly sha256: string
}

/** The data set as our commands read and write it without ids, and as PostgreSQL does (`copy`). */
export type BulkFiles = Readonly<Record<(typeof FORMATS)[number] | 'copy', BulkFile>>

const PETS_A_WRITE = 10_000

export async function writeBulkFiles(folder: string, pets: number): Promise<BulkFiles> {
  const write = (name: string, heading: string, line: (pet: DataPet) => string) =>
    writePets(join(folder, name), pets, heading, line)
  return {
    ndjson: await write('pets.ndjson', '', (pet) => `${newPetJson(pet)}\n`),
    csv: await write('pets.csv', 'name,categoryId,status\n', csvLine),
    copy: await write('pets.copy', '', copyLine),
  }
}

/** Rejects unless a file is the same, byte for byte. */
export async function expectSameBytes(path: string, expected: BulkFile, title: string): Promise<void> {
  if ((await sha256Of(path)) === expected.sha256) return
  throw new Error(`${title} is wrong: the pets that came out are not those of ${expected.path}.`)
}

function csvLine({ name, categoryId, status }: DataPet): string {
  const value = name.includes('"') ? `"${name.replaceAll('"', '""')}"` : name
  return `${value},${categoryId},${status ?? ''}\n`
}

async function writePets(
  path: string,
  pets: number,
  heading: string,
  line: (pet: DataPet) => string,
): Promise<BulkFile> {
  const file = await open(path, 'w')
  try {
    await file.write(heading)
    for (let first = 1; first <= pets; first += PETS_A_WRITE) {
      const count = Math.min(PETS_A_WRITE, pets - first + 1)
      const lines = Array.from({ length: count }, (_, index) => line(dataPet(first + index, pets)))
      await file.appendFile(lines.join(''))
    }
    return { path, sha256: await sha256Of(path) }
  } finally {
    await file.close()
  }
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
