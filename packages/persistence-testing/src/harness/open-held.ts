import { isDeepStrictEqual } from 'node:util'
import type { Pet } from '@pet-store/domain'
import type { Persistence } from '@pet-store/persistence'
import type { HeldReplies } from './held-replies.ts'
import type { PersistenceHarness } from './persistence-harness.ts'

/**
 * Opens the database so that replies can be held. Returns `undefined` if the adapter cannot be
 * opened in that way. `pet` is stored in the database.
 */
export async function openHeld(
  harness: PersistenceHarness,
  held: HeldReplies,
  pet: Pet,
): Promise<Persistence | undefined> {
  // It may reject: a certificate may name another host. Or it may open another database, if the
  // harness knows each by its URL.
  const opened = await harness.open({ url: held.url, mode: 'write' }).catch(() => undefined)
  const found = await opened?.pets.find(pet.id).catch(() => undefined)
  if (opened !== undefined && isDeepStrictEqual(found, pet)) return opened
  await opened?.close()
  return undefined
}
