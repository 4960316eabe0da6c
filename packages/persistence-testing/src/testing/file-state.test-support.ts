import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { deserialize, serialize } from 'node:v8'
import type { PetId } from '@pet-store/domain'
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

/** What this process has saved last, by the path of the file: reading it again takes longest. */
const saved = new Map<string, { readonly bytes: Uint8Array; readonly state: State }>()
const MAX_SAVED = 10

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
    file.exec(
      'pragma synchronous = off; begin immediate; ' +
        'create table if not exists state (id integer primary key, bytes)',
    )
    const bytes = file.prepare('select bytes from state').get()?.['bytes'] as Uint8Array | undefined
    const last = saved.get(path)
    // What is not saved now may be changed all the same.
    saved.delete(path)
    const isSame =
      bytes !== undefined && last !== undefined && Buffer.compare(bytes, last.bytes) === 0
    const stored = isSame ? last.state : stateOf(bytes)
    const result = work(stored, (state) => {
      const { pets, apiKeys, ...rest } = state
      const all = serialize({ ...rest, pets: pets.memory, apiKeys: apiKeys.rows })
      file.prepare('insert or replace into state values (1, ?)').run(all)
      if (saved.size === MAX_SAVED) saved.clear()
      saved.set(path, { bytes: all, state })
    })
    file.exec('commit')
    return result
  } finally {
    file.close()
  }
}

function stateOf(bytes: Uint8Array | undefined): State {
  const state: State = {
    databaseId: randomUUID(),
    pets: createFakePets(),
    apiKeys: new FakeApiKeys(),
    counts: new Map(),
    imports: [],
  }
  if (bytes === undefined) return state
  const { pets, apiKeys, ...rest } = deserialize(bytes)
  Object.assign(state.apiKeys, { rows: apiKeys })
  return Object.assign(state, rest, { pets: createFakePets(pets) })
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
