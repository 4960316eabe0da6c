import type { ApiKey } from '@pet-store/access'
import type { PetId } from '@pet-store/domain'
import type { Persistence } from '@pet-store/persistence'
import { type Call, everyCall, failureOf, prepareCalls } from '../adapter/every-call.ts'
import { withProcesses } from '../adapter/other-process/other-process.ts'
import { withPersistence } from '../adapter/with-persistence.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { aTurnLater } from '../case/wait.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { aNewApiKey } from '../test-data/new-api-keys.ts'
import { anIdempotencyKey } from '../test-data/new-idempotency-keys.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { ascending, idsOf, listAll } from '../test-data/stored-pets.ts'
import { after } from '../test-data/times.ts'

const KEY = anIdempotencyKey()

const GROUP = { group: 'persistence.reopen', timeLimitMs: 120_000 }

/** Closing finishes every call, and leaves nothing running. */
export const closingCases: readonly HarnessCase[] = casesOf(GROUP, {
  'pending-writes: finishes every call that was begun before it is closed, reads too': async (
    harness,
  ) => {
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    const [id, readBefore] = await withPersistence(harness, url, async (first) => {
      const pet = await first.pets.add(aNewPet({ name: 'before', status: 'sold' }))
      for (const name of ['old', 'before']) await first.apiKeys?.add(aNewApiKey(name))
      await prepareCalls(first, 'closing')
      return [pet.id, await readAll(first, pet.id)] as const
    })
    const opened = await harness.open({ url, mode: 'migrate' })
    const { pets, apiKeys } = opened
    const keyOf = (index: number) => ({ ...KEY, key: `${index}` })
    const adding = Array.from({ length: 20 }, async (_, index) =>
      index % 2 === 0 ? pets.add(aNewPet()) : (await pets.addWithKey(aNewPet(), keyOf(index))).pet,
    )
    const writing =
      apiKeys === undefined
        ? []
        : [
            ...['a', 'b', 'c'].map((name) => apiKeys.add(aNewApiKey(name))),
            apiKeys.markUsed([{ id: 'key_old', at: after(3) }]),
            apiKeys.revoke('key_old', after(5)),
          ]
    const calls = everyCall(opened, 'closing').map(failureOf)
    const reading = readAll(opened, id)
    const all = Promise.allSettled([...adding, ...writing, ...calls, reading])
    let haveEnded = false
    void all.then(() => (haveEnded = true))
    await opened.close()
    // A turn later, because a promise that wraps another one resolves after it.
    await aTurnLater()
    expectEqual(haveEnded, true, 'whether every call has ended when close resolves')
    const added = await Promise.all(adding)
    await Promise.all(writing)
    const rejected = (await Promise.all(calls)).filter((failure) => failure !== undefined)
    expectEqual(rejected, [], 'every call that was begun before close must resolve')
    expectEqual(await reading, readBefore, 'what reads return that were begun before close')
    await withPersistence(harness, url, async (again) => {
      const listed = await listAll(again.pets)
      expectEqual(
        idsOf(listed.filter(({ name }) => name === 'Rex')),
        ascending(idsOf(added)),
        'every add that was begun before close must be stored',
      )
      const repeat = await again.pets.addWithKey(aNewPet(), keyOf(1))
      expectEqual(
        repeat.pet,
        added[1],
        'a repeat with the key of an add that was begun before close',
      )
      if (again.apiKeys === undefined) return
      const ids = (await again.apiKeys.list())
        .map(({ id }) => id)
        .filter((id) => !id.includes('closing'))
      expectEqual(
        ids.toSorted(),
        ['key_a', 'key_b', 'key_before', 'key_c', 'key_old'],
        'every key that was added before close',
      )
      const { lastUsedAt, revokedAt } = (await again.apiKeys.find('key_old')) ?? {}
      expectEqual(
        [lastUsedAt, revokedAt],
        [after(3), after(5)],
        'lastUsedAt and revokedAt of a key that was used and revoked before close',
      )
    })
  },
  'pending-one: finishes a call that was begun before it is closed, even if it is the only one':
    async (harness) => {
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      const count = await withPersistence(harness, url, async (first) => {
        await first.pets.add(aNewPet())
        await prepareCalls(first, 'alone')
        return everyCall(first, 'alone').length
      })
      for (let index = 0; index < count; index += 1) {
        const opened = await harness.open({ url, mode: 'write' })
        const call = everyCall(opened, 'alone')[index] as Call
        let hasEnded = false
        const failure = failureOf(call).finally(() => (hasEnded = true))
        await opened.close()
        await aTurnLater()
        expectEqual(hasEnded, true, `whether ${call.name} has ended when close resolves`)
        expectEqual(await failure, undefined, `the failure of ${call.name}, begun before close`)
      }
    },
  'process-ends: leaves nothing behind that keeps the process running when it is closed':
    withProcesses(async (harness, start) => {
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      // What several openings share at the same time must be closed with the last one.
      const together = harness.capabilities?.severalProcesses ? ['2'] : []
      const { code, errors } = await start(url, CLOSED, together).ended
      expectEqual(code, 0, `the process must end by itself after close; it printed: ${errors}`)
      if (harness.openBulkAccess === undefined) return
      const { bulkExportName = 'openBulkAccess' } = harness
      const other = await harness.emptyDatabase({ mayHaveSchema: true })
      const bulk = await start(other, BULK_CLOSED, [bulkExportName]).ended
      expectEqual(bulk.code, 0, `bulk access must let the process end; it printed: ${bulk.errors}`)
    }),
})

/** What each function reads of a pet and an API key that no other call changes. */
function readAll({ pets, apiKeys }: Persistence, petId: PetId): Promise<readonly unknown[]> {
  const { id, sha256 } = aNewApiKey('before')
  const ofKey = async (keys: Promise<readonly ApiKey[]> | undefined) =>
    (await keys)?.find((key) => key.id === id)
  return Promise.all([
    pets.find(petId),
    pets.list({ limit: 1 }),
    pets.list({ status: 'sold', limit: 9 }),
    apiKeys?.find(id),
    apiKeys?.findByHash(sha256),
    ofKey(apiKeys?.list()),
    ofKey(apiKeys?.listChangedSince?.(after(0))),
  ])
}

/** A timer that still runs after this time waits for no answer: it was forgotten. */
const TIMER_GRACE_MS = 2_500

/** Ends the process with an error if the deadline of a call that has ended keeps it running. */
const LEAVES_NO_TIMER = `
  setTimeout(() => {
    if (!process.getActiveResourcesInfo().includes('Timeout')) return
    console.error('A timer keeps it running.')
    process.exit(9)
  }, ${TIMER_GRACE_MS}).unref()`

/**
 * Opens the database at once as often as the first value says, and uses and closes each after the
 * other. Then adds a pet, has calls rejected, closes while calls of every kind are under way, and
 * does nothing more. Node ends with an error when nothing is left that could end a call.
 */
const CLOSED = `
  const together = Array.from({ length: values[0] ?? 0 }, () => open({ url, mode: 'migrate' }))
  for (const one of await Promise.all(together)) {
    await one.check()
    await one.close()
  }
  const opened = await open({ url, mode: 'migrate' })
  const { pets, apiKeys } = opened
  const pet = { name: 'Rex', categoryId: 1n }
  await pets.add(pet)
  await opened.check()
  const at = new Date()
  const keyOf = (id) => ({ id, sha256: id.padStart(64, '0'), name: id, scopes: [], createdAt: at })
  await apiKeys?.add(keyOf('old'))
  const key = { owner: 'shop', key: 'key', fingerprint: 'Rex' }
  await pets.addWithKey(pet, key)
  await Promise.allSettled([
    pets.add(pet, { aborted: true }), pets.addWithKey(pet, key, { aborted: true }),
    pets.addWithKey(pet, { ...key, fingerprint: 'Mia' }),
    apiKeys?.add(keyOf('old')), apiKeys?.replace('none', keyOf('next'), at),
  ])
  const calls = [
    pets.add(pet), pets.addWithKey(pet, key), pets.find(1n), pets.list({ limit: 1 }),
    apiKeys?.list(), apiKeys?.markUsed([{ id: 'key_none', at: new Date() }]),
    opened.createRateLimiter?.({ requests: 1, windowMs: 1_000 }).take('key_kiosk'),
    opened.isMigrated?.(), opened.readClock?.(), opened.replicaProblems?.(),
    apiKeys?.find('old'), apiKeys?.findByHash(keyOf('old').sha256),
    apiKeys?.listChangedSince?.(at), apiKeys?.add(keyOf('new')), apiKeys?.revoke('old', at),
    apiKeys?.replace('old', keyOf('next'), at),
  ]
  await opened.close()
  await Promise.all(calls)
  ${LEAVES_NO_TIMER}`

const BULK_CLOSED = `
  const [bulkExportName] = values
  const bulk = await (await import(module))[bulkExportName]({ url, mode: 'migrate' })
  const at = new Date()
  const pet = { name: 'Rex', categoryId: 1n }
  const to = { id: 1n, sha256: 'f', state: 'finished', lines: 1, changedAt: at }
  await bulk.addPets([pet], { to })
  await bulk.writePets([{ id: 9n, ...pet }])
  await bulk.movePetIdsPast(9n)
  await bulk.writePetImports(await bulk.readPetImports())
  await bulk.writeIdempotencyKeys([{ owner: 'shop', key: 'k', fingerprint: 'f', at, petId: 9n }])
  await bulk.writeApiKeys([{ id: 'k', sha256: 'f', name: 'k', scopes: [], createdAt: at }])
  await Promise.all([
    bulk.countPets(), bulk.readPets({ limit: 9 }), bulk.readIdempotencyKeys(9), bulk.readApiKeys(),
    bulk.lastPetId(),
  ])
  const key = { id: 'other', sha256: 'f', name: 'k', scopes: [], createdAt: at }
  await Promise.allSettled([
    bulk.addPets([pet], { to }), bulk.writePets([{ id: 9n, ...pet }]), bulk.writeApiKeys([key]),
  ])
  await bulk.close()
  ${LEAVES_NO_TIMER}`
