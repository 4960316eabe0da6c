import type { BulkAccess } from '@pet-store/persistence'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { hashOf } from '../test-data/new-api-keys.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { ALL, apiKeyOf, importOf, keyOf } from './items.ts'

/** A database may take a second to notice that two calls wait for each other. */
const GROUP = { group: 'bulk', timeLimitMs: 60_000 }

/** So many that calls at the same time are in the middle of them. */
const SHARED = 200
const OWN = 20
const CALLS = 4
const ROUNDS = 4
/** Calls must meet in the short time in which a database looks for an item and inserts it. */
const NEW_ITEMS = 60

/** How items of a kind are written and read; an item is the name of one. */
export interface Kind {
  write(names: readonly number[]): Promise<void>
  /** The names of all that are stored. */
  read(): Promise<readonly number[]>
}

/** Calls at the same time that name some of the same items. */
export const orderCases: readonly ContractCase<BulkAccess>[] = casesOf(GROUP, {
  'orders: stores every item of calls that write some of the same items in different orders':
    async (bulk) => {
      await bulk.writePets([{ id: 1n, ...aNewPet() }])
      // So that each of the calls below has a connection when it begins.
      await Promise.all(Array.from({ length: CALLS }, () => bulk.countPets()))
      for (const [name, kind] of Object.entries(kindsOf(bulk))) {
        const expected = new Set(namesOf(0, SHARED))
        for (let round = 0; round < ROUNDS; round += 1) {
          // Locks that are taken in different orders make a database end one of the calls.
          const calls = Array.from({ length: CALLS }, (_, call) => {
            const own = namesOf(SHARED + (round * CALLS + call) * OWN, OWN)
            for (const one of own) expected.add(one)
            const names = [...namesOf(0, SHARED), ...own]
            return kind.write(call % 2 === 0 ? names : names.toReversed())
          })
          await Promise.all(calls)
        }
        const stored = new Set(await kind.read())
        const missing = [...expected].filter((one) => !stored.has(one))
        expectEqual(missing, [], `the ${name} of calls that have resolved, and are not stored`)
      }
    },

  'orders.new: stores an item that several calls at the same time write for the first time': async (
    bulk,
  ) => {
    await bulk.writePets([{ id: 1n, ...aNewPet() }])
    await Promise.all(Array.from({ length: CALLS }, () => bulk.countPets()))
    for (const [name, kind] of Object.entries(kindsOf(bulk))) {
      const items = namesOf(0, NEW_ITEMS)
      for (const item of items)
        await Promise.all(Array.from({ length: CALLS }, () => kind.write([item])))
      const stored = await kind.read()
      expectEqual(ascending(stored), items, `the ${name} that were written, each by ${CALLS} calls`)
    }
  },
})

export function kindsOf(bulk: BulkAccess): Readonly<Record<string, Kind>> {
  return {
    'idempotency keys': {
      write: (names) => bulk.writeIdempotencyKeys(names.map((name) => keyOf('o', `${name}`, 1n))),
      read: async () => (await bulk.readIdempotencyKeys(ALL)).map(({ key }) => Number(key)),
    },
    imports: {
      write: (names) => bulk.writePetImports(names.map((name) => importOf({ id: BigInt(name) }))),
      read: async () => (await bulk.readPetImports()).map(({ id }) => Number(id)),
    },
    'API keys': {
      write: (names) =>
        bulk.writeApiKeys(
          names.map((name) => apiKeyOf(`${name}`, { id: `${name}`, sha256: hashOf(`${name}`) })),
        ),
      read: async () => (await bulk.readApiKeys()).map(({ id }) => Number(id)),
    },
  }
}

function ascending(names: readonly number[]): readonly number[] {
  return names.toSorted((one, other) => one - other)
}

function namesOf(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => first + index + 1)
}
