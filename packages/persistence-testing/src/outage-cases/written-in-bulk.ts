import assert from 'node:assert/strict'
import { INT64, isPetError } from '@pet-store/domain'
import type { BulkAccess } from '@pet-store/persistence'
import { ALL, apiKeyOf, importOf, keyOf } from '../bulk-cases/items.ts'
import { expectEqual } from '../case/expectations.ts'
import { aTurnLater } from '../case/wait.ts'
import { aNewPet } from '../test-data/new-pets.ts'

/** What a call wrote, and the outcome of which it spoke; it may say nothing. */
export interface Written {
  readonly kind: Kind
  readonly id: bigint
  readonly outcome: 'resolved' | 'not_stored' | undefined
}

/** Lets the ids of each round be others. */
export const OTHER_IDS = 100_000n
/** More ids than pets are added between two moves. */
const MOVED_BY = 1_000_000n

type Kind = 'imports' | 'keys' | 'apiKeys' | 'pets' | 'ids'

const WRITES: Readonly<Record<Kind, (bulk: BulkAccess, id: bigint) => Promise<void>>> = {
  imports: (bulk, id) => bulk.writePetImports([importOf({ id })]),
  keys: (bulk, id) => bulk.writeIdempotencyKeys([keyOf('shop', `${id}`, 1n)]),
  apiKeys: (bulk, id) => bulk.writeApiKeys([apiKeyOf(`${id}`)]),
  // Below 0 they move no ids of new pets.
  pets: (bulk, id) => bulk.writePets([{ id: -id, ...aNewPet() }]),
  ids: (bulk, id) => bulk.movePetIdsPast(id * MOVED_BY),
}

/** Writes items of every kind, each with its own id, until a call of that kind is rejected. */
export async function writeUntilRejected(
  bulk: BulkAccess,
  firstId: bigint,
  hasEnded: { readonly value: boolean },
): Promise<readonly Written[]> {
  const kinds = Object.keys(WRITES) as Kind[]
  const writeAll = async (kind: Kind, index: number) => {
    const written: Written[] = []
    for (let id = firstId + BigInt(index); !hasEnded.value; id += BigInt(kinds.length)) {
      try {
        await WRITES[kind](bulk, id)
      } catch (error) {
        const isNotStored = isPetError(error) && error.outcome === 'not_stored'
        return [...written, { kind, id, outcome: isNotStored ? 'not_stored' : undefined } as const]
      }
      written.push({ kind, id, outcome: 'resolved' })
      await aTurnLater()
    }
    return written
  }
  return (await Promise.all(kinds.map(writeAll))).flat()
}

/** Expects what the calls said of every item but of the ids of new pets. */
export async function expectWritten(bulk: BulkAccess, others: readonly Written[]): Promise<void> {
  const stored = new Set<bigint>()
  for (const { id } of await bulk.readPetImports()) stored.add(id)
  for (const { key } of await bulk.readIdempotencyKeys(ALL)) stored.add(BigInt(key))
  for (const { id } of await bulk.readApiKeys()) stored.add(BigInt(id.slice('key_'.length)))
  for (const { id } of await bulk.readPets({ after: INT64.min, limit: ALL })) stored.add(-id)
  for (const { kind, id, outcome } of others) {
    if (outcome === undefined || kind === 'ids') continue
    const what = `whether the item ${id} of ${kind} is stored, whose call said ${outcome}`
    expectEqual(stored.has(id), outcome === 'resolved', what)
  }
}

/** Expects what the last calls that moved ids said, before others move them. */
export async function expectMoved(bulk: BulkAccess, written: readonly Written[]): Promise<void> {
  const last = await bulk.lastPetId()
  const moves = written.filter(({ kind }) => kind === 'ids')
  const done = moves.findLast(({ outcome }) => outcome === 'resolved')
  const denied = moves.find(({ outcome }) => outcome === 'not_stored')
  if (done !== undefined)
    assert.ok(
      last >= done.id * MOVED_BY,
      `lastPetId must be at least ${done.id * MOVED_BY} after ids were moved past it, got ${last}`,
    )
  if (denied !== undefined)
    assert.ok(
      last < denied.id * MOVED_BY,
      `lastPetId must be less than ${denied.id * MOVED_BY} after not_stored, got ${last}`,
    )
}
