import type { BulkAccess, Persistence } from '@pet-store/persistence'
import { type HeldReplies, holdReplies } from '../harness/held-replies.ts'
import { openHeld } from '../harness/open-held.ts'
import type { PersistenceHarness } from '../harness/persistence-harness.ts'
import { createModel, type Model, storePet } from '../model/model.ts'
import { type OpenDatabase, withOpenDatabase } from '../model/open-database.ts'
import { aNewPet } from '../test-data/new-pets.ts'

/** An open database, on which one call can be made between the replies of another one. */
export interface HeldDatabase {
  /** For the call whose replies are held; through the opening 0. */
  readonly slow: OpenDatabase
  /** For the calls beside it; through the opening 1, if the adapter allows two. */
  readonly other: OpenDatabase
  /** Absent if no replies come over a connection that can be forwarded. */
  readonly held: HeldReplies | undefined
  /** What it holds. */
  readonly model: Model
}

/** So many connections are open before replies are held. */
const CONNECTIONS = 4

/** Runs `work` on a database that contains one pet, and closes everything afterwards. */
export async function withHeldDatabase(
  harness: PersistenceHarness,
  work: (database: HeldDatabase) => Promise<void>,
): Promise<void> {
  await withOpenDatabase(harness, async (other) => {
    const { openings, url } = other
    const pet = await (openings.at(-1) as Persistence).pets.add(aNewPet())
    const model = createModel()
    storePet(model, pet)
    const way = openings.length > 1 ? await holdReplies(url) : undefined
    let bulk: BulkAccess | undefined
    try {
      const opened = way && (await openHeld(harness, way, pet))
      if (opened !== undefined) {
        await openings[0]?.close()
        openings[0] = opened
      }
      const held = opened && way
      const useBulk: OpenDatabase['useBulk'] = async (use) => {
        if (!other.hasBulkBeside) return other.useBulk(use)
        bulk ??= await harness.openBulkAccess?.({ url: held?.url ?? url, mode: 'write' })
        return use(bulk as BulkAccess)
      }
      const slow = { ...other, useBulk }
      const find = async () => openings[0]?.pets.find(pet.id)
      await Promise.all(Array.from({ length: CONNECTIONS }, find))
      await work({ slow, other, held, model })
    } finally {
      way?.release()
      await bulk?.close()
      for (const opened of openings.splice(0)) await opened.close()
      await way?.end()
    }
  })
}

/** Forgets what no later call is about, but for the ids that are used. */
export function forgetItems({ model }: HeldDatabase): void {
  model.pets.clear()
  model.idempotencyKeys.clear()
  model.apiKeys.clear()
}
