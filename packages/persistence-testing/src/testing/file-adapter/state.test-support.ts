import { randomUUID } from 'node:crypto'
import { deserialize, serialize } from 'node:v8'
import type { PetId } from '@pet-store/domain'
import type { PetMemory } from '@pet-store/domain/memory'
import { FakeApiKeys } from '../fake-api-keys.test-support.ts'
import type { FakeBulk } from '../fake-bulk.test-support.ts'
import { createFakePets, type FakePets } from '../fake-pets.test-support.ts'
import { type FileDatabase, onFile } from './database.test-support.ts'

/** What a file of the file adapter contains. */
export interface State {
  /** A copy of the file has the same one. */
  readonly databaseId: string
  readonly pets: FakePets
  readonly apiKeys: FakeApiKeys
  readonly counts: Map<string, number>
  imports: FakeBulk['imports']
}

/** The pets and idempotency keys of a file, each in a row: most writes change one or two. */
type Rows = Map<unknown, object>

interface Saved {
  /** Changes with each change of the file. */
  readonly version: string | undefined
  readonly state: State
  readonly rows: readonly Rows[]
  /** What the file contains beside the rows. */
  readonly bytes: Uint8Array | undefined
}

/** What this process has saved last, by the path of the file: reading it again takes longest. */
const saved = new Map<string, Saved>()
const MAX_SAVED = 10

/**
 * Works on what a file contains while no other process does; what it saves is there as a whole or
 * not at all.
 */
export function transaction<Result>(
  path: string,
  work: (stored: State, save: (state: State) => void) => Result,
): Result {
  try {
    return onFile(path, (database) => {
      const version = database.readVersion.get()?.['version'] as string | undefined
      const last = saved.get(path)
      // What is not saved now may be changed all the same.
      saved.delete(path)
      let stored =
        last !== undefined && last.version === version ? last : readFrom(database, version)
      return work(stored.state, (state) => {
        stored = write(database, stored, state)
        if (saved.size === MAX_SAVED) saved.clear()
        saved.set(path, stored)
      })
    })
  } catch (error) {
    saved.delete(path)
    throw error
  }
}

/** Most calls read, and change nothing. */
function write(database: FileDatabase, stored: Saved, state: State): Saved {
  const { rows } = stored
  const { pets, apiKeys, ...rest } = state
  const { pets: _, keys, ...memory } = pets.memory
  const bytes = serialize({ ...rest, memory, apiKeys: apiKeys.rows })
  const changes = [pets.memory.pets, keys].map((entries, kind) =>
    writeRows(database, kind, rows[kind] as Rows, entries),
  )
  const isSame = stored.bytes !== undefined && bytes.equals(stored.bytes)
  if (isSame && !changes.includes(true)) return { ...stored, state }
  const version = randomUUID()
  database.writeState.run(version, bytes)
  return { version, state, rows, bytes }
}

/**
 * Writes what differs from the rows that are there, and returns whether anything does. No stored
 * object is ever changed.
 */
function writeRows(
  { writeRow, deleteRow }: FileDatabase,
  kind: number,
  rows: Rows,
  entries: ReadonlyMap<unknown, object>,
): boolean {
  let hasChanged = false
  for (const [key, value] of entries) {
    if (rows.get(key) === value) continue
    writeRow.run(kind, String(key), serialize([key, value]))
    rows.set(key, value)
    hasChanged = true
  }
  if (rows.size === entries.size) return hasChanged
  for (const key of rows.keys()) {
    if (entries.has(key)) continue
    deleteRow.run(kind, String(key))
    rows.delete(key)
  }
  return true
}

function readFrom({ readState, readRows }: FileDatabase, version: string | undefined): Saved {
  const state: State = {
    databaseId: randomUUID(),
    pets: createFakePets(),
    apiKeys: new FakeApiKeys(),
    counts: new Map(),
    imports: [],
  }
  const bytes = readState.get()?.['bytes'] as Uint8Array | undefined
  if (bytes === undefined) return { version, state, rows: [new Map(), new Map()], bytes }
  const { memory, apiKeys, ...rest } = deserialize(bytes)
  Object.assign(state.apiKeys, { rows: apiKeys })
  const entriesOf = (kind: number) =>
    readRows.all(kind).map((row) => deserialize(row['bytes'] as Uint8Array))
  // By ascending id, whatever order they were written in.
  const pets: PetMemory['pets'] = new Map(
    entriesOf(0).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
  const keys: PetMemory['keys'] = new Map(entriesOf(1))
  Object.assign(state, rest, { pets: createFakePets({ ...memory, pets, keys }) })
  return { version, state, rows: [new Map(pets), new Map(keys)], bytes }
}

/** Deletes a pet as if by hand. */
export async function deletePet(url: string, id: PetId): Promise<void> {
  transaction(new URL(url).pathname, (stored, save) => {
    stored.pets.memory.pets.delete(id)
    save(stored)
  })
}
