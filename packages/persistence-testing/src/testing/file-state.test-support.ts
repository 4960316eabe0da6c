import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { deserialize, serialize } from 'node:v8'
import type { PetId } from '@pet-store/domain'
import type { PetMemory } from '@pet-store/domain/memory'
import { FakeApiKeys } from './fake-api-keys.test-support.ts'
import type { FakeBulk } from './fake-bulk.test-support.ts'
import { createFakePets, type FakePets } from './fake-pets.test-support.ts'

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
  readonly version: string
  readonly state: State
  readonly rows: readonly Rows[]
}

/** What this process has saved last, by the path of the file: reading it again takes longest. */
const saved = new Map<string, Saved>()
const MAX_SAVED = 10

const SCHEMA = `
  create table if not exists state (id integer primary key, version text, bytes);
  create table if not exists row (kind integer, key text, bytes, unique (kind, key))`
const WRITE_STATE = 'insert or replace into state values (1, ?, ?)'
/** A row that is written again keeps its position, as an entry of a map does. */
const WRITE_ROW = `
  insert into row values (?, ?, ?) on conflict do update set bytes = excluded.bytes`
const DELETE_ROW = 'delete from row where kind = ? and key = ?'

/**
 * Works on what a file contains while no other process does; what it saves is there as a whole or
 * not at all.
 */
export function transaction<Result>(
  path: string,
  work: (stored: State, save: (state: State) => void) => Result,
): Result {
  const file = new DatabaseSync(path, { timeout: 60_000 })
  try {
    file.exec(`pragma synchronous = off; begin immediate; ${SCHEMA}`)
    const version = file.prepare('select version from state').get()?.['version']
    const last = saved.get(path)
    // What is not saved now may be changed all the same.
    saved.delete(path)
    const { state: stored, rows } =
      last !== undefined && last.version === version ? last : readFrom(file)
    const result = work(stored, (state) => {
      const { pets, apiKeys, ...rest } = state
      const { pets: _, keys, ...memory } = pets.memory
      const version = randomUUID()
      const bytes = serialize({ ...rest, memory, apiKeys: apiKeys.rows })
      file.prepare(WRITE_STATE).run(version, bytes)
      for (const [kind, entries] of [pets.memory.pets, keys].entries())
        writeRows(file, kind, rows[kind] as Rows, entries)
      if (saved.size === MAX_SAVED) saved.clear()
      saved.set(path, { version, state, rows })
    })
    file.exec('commit')
    return result
  } catch (error) {
    saved.delete(path)
    throw error
  } finally {
    file.close()
  }
}

/** Writes what differs from the rows that are there. No stored object is ever changed. */
function writeRows(
  file: DatabaseSync,
  kind: number,
  rows: Rows,
  entries: ReadonlyMap<unknown, object>,
): void {
  const writing = file.prepare(WRITE_ROW)
  for (const [key, value] of entries) {
    if (rows.get(key) === value) continue
    writing.run(kind, String(key), serialize([key, value]))
    rows.set(key, value)
  }
  if (rows.size === entries.size) return
  const deleting = file.prepare(DELETE_ROW)
  for (const key of rows.keys()) {
    if (entries.has(key)) continue
    deleting.run(kind, String(key))
    rows.delete(key)
  }
}

function readFrom(file: DatabaseSync): Omit<Saved, 'version'> {
  const state: State = {
    databaseId: randomUUID(),
    pets: createFakePets(),
    apiKeys: new FakeApiKeys(),
    counts: new Map(),
    imports: [],
  }
  const bytes = file.prepare('select bytes from state').get()?.['bytes'] as Uint8Array | undefined
  if (bytes === undefined) return { state, rows: [new Map(), new Map()] }
  const { memory, apiKeys, ...rest } = deserialize(bytes)
  Object.assign(state.apiKeys, { rows: apiKeys })
  const entriesOf = (kind: number) =>
    file
      .prepare('select bytes from row where kind = ? order by rowid')
      .all(kind)
      .map((row) => deserialize(row['bytes'] as Uint8Array))
  // By ascending id, whatever order they were written in.
  const pets: PetMemory['pets'] = new Map(
    entriesOf(0).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
  const keys: PetMemory['keys'] = new Map(entriesOf(1))
  Object.assign(state, rest, { pets: createFakePets({ ...memory, pets, keys }) })
  return { state, rows: [new Map(pets), new Map(keys)] }
}

/** Deletes a pet as if by hand. */
export async function deletePet(url: string, id: PetId): Promise<void> {
  transaction(new URL(url).pathname, (stored, save) => {
    stored.pets.memory.pets.delete(id)
    save(stored)
  })
}

export function hundredsOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const parts = Array.from({ length: Math.ceil(items.length / 100) }, (_, index) => 100 * index)
  return parts.map((start) => items.slice(start, start + 100))
}
