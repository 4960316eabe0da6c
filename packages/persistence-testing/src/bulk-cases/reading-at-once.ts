import { isDeepStrictEqual } from 'node:util'
import type { BulkAccess } from '@pet-store/persistence'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { apiKeyOf, importOf, keyOf } from './items.ts'

/** What each call has written is read at once, even where the same was read a moment before. */
export const bulkReadingAtOnceCases: readonly ContractCase<BulkAccess>[] = casesOf('bulk', {
  'read-at-once: reads at once what each call writes, where it has just read': async (bulk) => {
    await bulk.writePets([{ id: 1n, ...aNewPet() }])
    await bulk.movePetIdsPast(1n)
    for (const { name, write, changes } of WRITES) {
      const readAll = () => Promise.all(changes.map((read) => READS[read](bulk)))
      const before = await readAll()
      await write(bulk)
      const after = await readAll()
      const stale = changes.filter((_, index) => isDeepStrictEqual(before[index], after[index]))
      expectEqual(stale, [], `what returns after ${name} the same as before`)
    }
  },
})

const READS = {
  readPets: (bulk: BulkAccess) => bulk.readPets({ limit: 9 }),
  countPets: (bulk: BulkAccess) => bulk.countPets(),
  lastPetId: (bulk: BulkAccess) => bulk.lastPetId(),
  readPetImports: (bulk: BulkAccess) => bulk.readPetImports(),
  readIdempotencyKeys: (bulk: BulkAccess) => bulk.readIdempotencyKeys(9),
  readApiKeys: (bulk: BulkAccess) => bulk.readApiKeys(),
} satisfies Readonly<Record<string, (bulk: BulkAccess) => Promise<unknown>>>

interface Write {
  readonly name: string
  readonly write: (bulk: BulkAccess) => Promise<void>
  /** What it changes. */
  readonly changes: readonly (keyof typeof READS)[]
}

const WRITES: readonly Write[] = [
  {
    name: 'writePets',
    write: (bulk) => bulk.writePets([{ id: 9n, ...aNewPet() }]),
    changes: ['readPets', 'countPets'],
  },
  {
    name: 'movePetIdsPast',
    write: (bulk) => bulk.movePetIdsPast(1_000_000n),
    changes: ['lastPetId'],
  },
  {
    name: 'addPets',
    write: (bulk) => bulk.addPets([aNewPet()], { to: importOf() }),
    changes: ['readPets', 'countPets', 'readPetImports'],
  },
  {
    name: 'writePetImports',
    write: (bulk) => bulk.writePetImports([importOf({ lines: 7 })]),
    changes: ['readPetImports'],
  },
  {
    name: 'writeIdempotencyKeys',
    write: (bulk) => bulk.writeIdempotencyKeys([keyOf('shop', 'a', 1n)]),
    changes: ['readIdempotencyKeys'],
  },
  {
    name: 'writeApiKeys',
    write: (bulk) => bulk.writeApiKeys([apiKeyOf('a')]),
    changes: ['readApiKeys'],
  },
]
