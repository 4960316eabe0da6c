import type { ApiKey, ApiKeyRepository } from '@pet-store/access'
import type { PetRepository } from '@pet-store/domain'
import type { Persistence } from '@pet-store/persistence'
import { expectEqual } from '../case/expectations.ts'
import { LONG_MS } from '../rate-limiter-cases/long-window.ts'
import { aNewApiKey, withoutHash } from '../test-data/new-api-keys.ts'
import { anIdempotencyKey } from '../test-data/new-idempotency-keys.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { idsOf } from '../test-data/stored-pets.ts'
import { after } from '../test-data/times.ts'
import { expectAvailable, untilAvailable } from './until-available.ts'

/**
 * Expects every function of an open adapter to work, each on what the others have written. `label`
 * is one that no earlier call has used on this database.
 */
export async function expectWorks(opened: Persistence, label: string): Promise<void> {
  await expectPetsWork(opened.pets, label)
  if (opened.apiKeys !== undefined) await expectApiKeysWork(opened.apiKeys, label)
  if (opened.isMigrated !== undefined)
    expectEqual(await opened.isMigrated(), true, 'isMigrated of an adapter that works')
  if (opened.createRateLimiter !== undefined) {
    const limiter = opened.createRateLimiter({ requests: 2, windowMs: 10 * LONG_MS })
    const allowed: boolean[] = []
    for (let count = 0; count < 3; count += 1)
      allowed.push((await limiter.take(`key_${label}`)).isAllowed)
    expectEqual(allowed, [true, true, false], 'isAllowed of 3 requests of a key with a limit of 2')
  }
  // At the end: nobody has to check an adapter before it works again.
  await opened.check()
}

/** The same of an adapter whose database has just become available again. */
export function expectWorksAgain(opened: Persistence, label: string): Promise<void> {
  return untilAvailable((attempt) => expectWorks(opened, `${label} ${attempt}`))
}

/** The same of an adapter that nothing hinders any more. */
export function expectEachWorksAgain(opened: Persistence): Promise<void> {
  return expectAvailable('every function', (attempt) =>
    expectWorks(opened, `afterwards ${attempt}`),
  )
}

async function expectPetsWork(pets: PetRepository, label: string): Promise<void> {
  const key = anIdempotencyKey({ key: `${label} works`, fingerprint: label })
  const plain = await pets.add(aNewPet({ name: `${label} plain`, status: 'sold' }))
  const { pet: keyed } = await pets.addWithKey(aNewPet({ name: `${label} keyed` }), key)
  const repeat = await pets.addWithKey(aNewPet(), key)
  expectEqual(
    repeat,
    { pet: keyed, isReplay: true },
    'a repeat with an idempotency key must return its pet',
  )
  expectEqual(await pets.find(plain.id), plain, 'find must return a pet that was just added')
  const position = plain.id - 1n
  const ids = [plain.id, keyed.id]
  for (const [query, expected] of [
    [{ after: position }, ids],
    [{ after: position, status: 'sold' }, [plain.id]],
    [{ after: plain.id }, [keyed.id]],
  ] as const) {
    const listed = idsOf(await pets.list({ ...query, limit: 1_000 }))
    const found = listed.filter((id) => ids.includes(id))
    expectEqual(found, expected, 'list must contain the pets that were just added')
  }
  expectEqual((await pets.list({ limit: 1 })).length, 1, 'the number of pets of a page')
  const sold = await pets.list({ status: 'sold', limit: 1 })
  expectEqual(sold.length, 1, 'the number of sold pets of a page')
}

async function expectApiKeysWork(apiKeys: ApiKeyRepository, label: string): Promise<void> {
  const old = aNewApiKey(`${label} old`, { createdAt: after(1) })
  const successor = aNewApiKey(`${label} successor`, { createdAt: after(1) })
  await apiKeys.add(old)
  await expectKey(apiKeys, old.sha256, withoutHash(old))
  await apiKeys.markUsed([{ id: old.id, at: after(3) }])
  await expectKey(apiKeys, old.sha256, { ...withoutHash(old), lastUsedAt: after(3) })
  expectEqual(await apiKeys.replace(old.id, successor, after(10)), true, 'replace must return true')
  const ending = { expiresAt: after(10), replacedBy: successor.id, lastUsedAt: after(3) }
  await expectKey(apiKeys, old.sha256, { ...withoutHash(old), ...ending })
  await expectKey(apiKeys, successor.sha256, withoutHash(successor))
  expectEqual(await apiKeys.revoke(successor.id, after(5), 'Ada'), true, 'revoke must return true')
  const revoked = { revokedAt: after(5), revokedBy: 'Ada' }
  await expectKey(apiKeys, successor.sha256, { ...withoutHash(successor), ...revoked })
}

/** A key as every function returns it. */
export async function expectKey(
  apiKeys: ApiKeyRepository,
  sha256: string,
  expected: ApiKey,
): Promise<void> {
  const isIt = ({ id }: ApiKey) => id === expected.id
  expectEqual(await apiKeys.find(expected.id), expected, `the key ${expected.id} by its id`)
  expectEqual(await apiKeys.findByHash(sha256), expected, `the key ${expected.id} by its hash`)
  expectEqual((await apiKeys.list()).find(isIt), expected, `the key ${expected.id} in the list`)
  if (apiKeys.listChangedSince === undefined) return
  const changed = (await apiKeys.listChangedSince(after(0))).find(isIt)
  expectEqual(changed, expected, `the key ${expected.id} in the list of changes`)
}
