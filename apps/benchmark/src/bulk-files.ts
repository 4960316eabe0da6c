import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type DataPet, dataPet } from './data-set.ts'

export const FORMATS = ['ndjson', 'csv'] as const
export type Format = (typeof FORMATS)[number]

/** A file with the data set, and what it holds. */
export interface BulkFile {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
}

/** The data set as our commands take it and write it without ids, and as the databases do (`copy`). */
export type BulkFiles = Readonly<Record<Format | 'copy', BulkFile>>

const PETS_A_WRITE = 10_000

export async function writeBulkFiles(folder: string, pets: number): Promise<BulkFiles> {
  const write = (name: string, heading: string, line: (pet: DataPet) => string) =>
    writePets(join(folder, name), pets, heading, line)
  return {
    ndjson: await write('pets.ndjson', '', ndjsonLine),
    csv: await write('pets.csv', 'name,categoryId,status\n', csvLine),
    copy: await write('pets.copy', '', copyLine),
  }
}

/** Throws where a file is not the same, byte for byte. */
export async function expectSameBytes(path: string, expected: BulkFile, what: string): Promise<void> {
  if ((await sha256Of(path)) === expected.sha256) return
  throw new Error(`${what} is wrong: what came out is not what is in ${expected.path}.`)
}

export function ndjsonLine({ name, categoryId, status }: DataPet): string {
  return `${JSON.stringify({ name, categoryId, ...(status !== null && { status }) })}\n`
}

export function csvLine({ name, categoryId, status }: DataPet): string {
  const value = name.includes('"') ? `"${name.replaceAll('"', '""')}"` : name
  return `${value},${categoryId},${status ?? ''}\n`
}

/** The text format of PostgreSQL's COPY. No name of the data set holds what would have to be escaped. */
export function copyLine({ name, categoryId, status }: Omit<DataPet, 'id'>): string {
  return `${name}\t${categoryId}\t${status ?? '\\N'}\n`
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
    return { path, bytes: (await file.stat()).size, sha256: await sha256Of(path) }
  } finally {
    await file.close()
  }
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
