import assert from 'node:assert/strict'
import type { ApiKey, ApiKeyRepository, RateLimit, RateLimiter } from '@pet-store/access'
import type { PetId, PetRepository } from '@pet-store/domain'
import { besideAnotherProcess } from '../adapter/other-process/beside-another-process.ts'
import { SETTABLE_CLOCK } from '../adapter/settable-clock.ts'
import { apiKeysOf, rateLimiterOf } from '../adapter/with-persistence.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { inGroups } from '../case/in-groups.ts'
import { assertTested } from '../case/not-tested.ts'
import { wait } from '../case/wait.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { untilNoWindowEnds } from '../rate-limiter-cases/long-window.ts'
import { aNewApiKey } from '../test-data/new-api-keys.ts'
import { anIdempotencyKey } from '../test-data/new-idempotency-keys.ts'
import { addPets, aNewPet } from '../test-data/new-pets.ts'
import { ascending, idsOf, listAll } from '../test-data/stored-pets.ts'
import { after } from '../test-data/times.ts'

const GROUP = { group: 'persistence.shared', timeLimitMs: 120_000 }

/** Two processes see the same and decide together, at the same time. */
export const sharingBetweenProcessesCases: readonly HarnessCase[] = casesOf(GROUP, {
  'processes: shares pets, idempotency keys and API keys with another process':
    besideAnotherProcess(async ({ pets, apiKeys }, together) => {
      await apiKeys?.add(aNewApiKey('kiosk'))
      const [ours, theirs] = await together(ADDING, async () =>
        (await Promise.all(addAndRepeat(pets))).flat(),
      )
      const idLists = [ours, theirs.split(' ').map(BigInt)]
      const keyed = idLists.map((ids) => ids.slice(EACH))
      const plain = idLists.flatMap((ids) => ids.slice(0, EACH))
      expectEqual(
        keyed[1],
        keyed[0],
        'the ids of the pets that both processes added with the same keys',
      )
      const all = ascending([...new Set([...plain, ...(keyed[0] ?? [])])])
      expectEqual(all.length, 3 * EACH, 'the number of different ids')
      expectEqual(
        idsOf(await listAll(pets)),
        all,
        'the list must contain the pets of both processes',
      )
      const found = await apiKeys?.find('key_kiosk')
      expectEqual(
        found?.revokedAt,
        apiKeys && after(0),
        'the time at which the other process revoked the key',
      )
    }),
  'api-keys-processes: adds, replaces and revokes API keys once, with another process at that time':
    besideAnotherProcess(async (opened, together) => {
      const apiKeys = apiKeysOf(opened)
      const names = Array.from({ length: EACH }, (_, index) => `${index}`)
      await inGroups(EACH, (index) => apiKeys.add(aNewApiKey(`old ${index}`)))
      const ids = names.map((name) => `key_old ${name}`)
      const [ours, theirs] = await together(CHANGING, () => changeKeys(apiKeys, 'ours'))
      const results = [ours, JSON.parse(theirs) as readonly (readonly boolean[])[]]
      for (const [index, id] of ids.entries()) {
        const [added, replaced] = [0, 1].map(
          (which) => results.map((of) => of[index]?.[which]).filter(Boolean).length,
        )
        expectEqual([added, replaced], [1, 1], 'how often one id is added, and one key replaced')
        const { replacedBy, revokedAt, lastUsedAt } = (await apiKeys.find(id)) as ApiKey
        const [isOurs] = results.map((of) => of[index]?.[1])
        const winner = `key_${isOurs ? 'ours' : 'theirs'} ${index}`
        const changes = { replacedBy, revokedAt, lastUsedAt }
        const expected = { replacedBy: winner, revokedAt: after(5), lastUsedAt: after(7) }
        expectEqual(changes, expected, 'what two processes have changed of a key')
      }
      const stored = (await apiKeys.list()).map(({ id }) => id)
      expectEqual(stored.length, 3 * EACH, 'the number of keys; each was added or replaced once')
    }),
  'clock: takes the time of a call from the clock of the database, not from that of a process':
    besideAnotherProcess(async (opened, together) => {
      const { pets } = opened
      assertTested(opened.readClock, 'the clock of the database is that of this machine')
      const keyOf = (key: string) => ({ owner: 'shop', key, fingerprint: 'Rex' })
      const ours = await pets.addWithKey(aNewPet(), keyOf('ours'))
      const { createRateLimiter } = opened
      if (createRateLimiter !== undefined) {
        const createLimiter = rateLimiterOf(opened)
        await untilNoWindowEnds(createLimiter)
        await createLimiter(ONE_REQUEST).take('key_kiosk')
      }
      const [, printed] = await together(WITH_WRONG_CLOCKS, async () => undefined)
      const [isReplay, clockMs, isAllowed] = printed.split(' ')
      expectEqual(isReplay, 'true', 'isReplay of a process whose clock is two days ahead')
      const differenceMs = Number(clockMs) - (await opened.readClock()).getTime()
      assert.ok(
        Math.abs(differenceMs) < 24 * 3_600_000,
        `readClock in a process whose clock is wrong must not differ by ${differenceMs} ms`,
      )
      if (createRateLimiter !== undefined)
        expectEqual(isAllowed, 'false', 'isAllowed of a request too many, by a clock that is wrong')
      const theirs = await pets.addWithKey(aNewPet(), keyOf('theirs'))
      expectEqual(theirs.isReplay, true, 'isReplay after a process whose clock is two days behind')
      expectEqual(idsOf(await listAll(pets)), [ours.pet.id, theirs.pet.id], 'the pets of two keys')
    }),
  'limits-processes: shares rate limits with another process': besideAnotherProcess(
    async (opened, together) => {
      const createRateLimiter = rateLimiterOf(opened)
      await untilNoWindowEnds(createRateLimiter)
      const [ours, theirs] = await together(LIMITED, () => countAllowed(createRateLimiter(LIMIT)))
      expectEqual(
        ours + Number(theirs),
        LIMIT.requests,
        'the number of requests that two processes allow together',
      )
    },
  ),
})

/** How many pets each of two processes adds without a key, and with one. */
const EACH = 60

/** Adds pets; then others with keys that the other process uses too. */
function addAndRepeat(pets: PetRepository): Promise<readonly PetId[]>[] {
  const keyOf = (index: number) => anIdempotencyKey({ key: `${index}` })
  const keyed = Array.from(
    { length: EACH },
    async (_, index) => (await pets.addWithKey(aNewPet(), keyOf(index))).pet.id,
  )
  return [addPets(pets, EACH).then(idsOf), Promise.all(keyed)]
}

/** The same, and revokes an API key. */
const ADDING = `
  const { pets, apiKeys } = opened
  const pet = { name: 'Rex', categoryId: 1n }
  const at = new Date(${after(0).getTime()})
  const keyed = Promise.all(Array.from({ length: ${EACH} }, async (_, index) => {
    const key = { owner: 'shop', key: String(index), fingerprint: 'Rex', at }
    return (await pets.addWithKey(pet, key)).pet.id
  }))
  const ids = []
  while (ids.length < ${EACH}) ids.push((await pets.add(pet)).id)
  ids.push(...(await keyed))
  await apiKeys?.revoke('key_kiosk', at)
  print(ids.join(' '))
  await opened.close()`

const ONE_REQUEST: RateLimit = { requests: 1, windowMs: 3_600_000 }

/** Repeats a key as if two days later, and uses another one as if two days earlier. */
const WITH_WRONG_CLOCKS = `
${SETTABLE_CLOCK}
  const { pets } = opened
  const pet = { name: 'Rex', categoryId: 1n }
  const addAt = async (offset, key) => {
    offsetMs = offset
    return pets.addWithKey(pet, { owner: 'shop', key, fingerprint: 'Rex' })
  }
  const days = 48 * 3_600_000
  const { isReplay } = await addAt(days, 'ours')
  const limiter = opened.createRateLimiter?.(${JSON.stringify(ONE_REQUEST)})
  const { isAllowed } = (await limiter?.take('key_kiosk')) ?? {}
  await addAt(-days, 'theirs')
  const results = [isReplay, (await opened.readClock()).getTime(), isAllowed]
  print(results.map(String).join(' '))
  await opened.close()`

/** As many at a time: a database that both lock for each write does not keep one waiting long. */
const AT_ONCE = 10

const MAX_ATTEMPTS = 1_000
const PAUSE_MS = 20

/** Repeats a call that has stored nothing because the other process had the database too long. */
async function untilNotBusy<Result>(call: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call()
    } catch (error) {
      const isBusy = (error as { readonly outcome?: unknown }).outcome === 'not_stored'
      if (!isBusy || attempt === MAX_ATTEMPTS) throw error
      await wait(PAUSE_MS)
    }
  }
}

/** Adds, replaces, uses and revokes keys that another process changes too. */
async function changeKeys(
  apiKeys: ApiKeyRepository,
  label: string,
): Promise<readonly (readonly boolean[])[]> {
  const change = async (index: number) => {
    const id = `key_old ${index}`
    const added = await untilNotBusy(() =>
      apiKeys.add({ ...aNewApiKey(`same ${index}`), name: label }),
    ).then(
      () => true,
      () => false,
    )
    const successor = aNewApiKey(`${label} ${index}`)
    const replaced = await untilNotBusy(() => apiKeys.replace(id, successor, after(10)))
    await untilNotBusy(() => apiKeys.revoke(id, after(5)))
    return [added, replaced]
  }
  return inGroups(EACH, change, AT_ONCE)
}

/** The same in another process. */
const CHANGING = `
  const { apiKeys } = opened
  const untilNotBusy = async (call) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await call()
      } catch (error) {
        if (error.outcome !== 'not_stored' || attempt === ${MAX_ATTEMPTS}) throw error
        await new Promise((resolve) => setTimeout(resolve, ${PAUSE_MS}))
      }
    }
  }
  const at = (ms) => new Date(${after(0).getTime()} + ms)
  const rest = { name: 'theirs', scopes: [], createdAt: at(0) }
  const keyOf = (id, hash) => ({ id, sha256: hash.padStart(64, '0'), ...rest })
  const change = async (index) => {
    const id = 'key_old ' + index
    const same = keyOf('key_same ' + index, 'a' + index)
    const added = await untilNotBusy(() => apiKeys.add(same)).then(() => true, () => false)
    const successor = keyOf('key_theirs ' + index, 'b' + index)
    const replaced = await untilNotBusy(() => apiKeys.replace(id, successor, at(10)))
    await untilNotBusy(() => apiKeys.markUsed([{ id, at: at(7) }]))
    return [added, replaced]
  }
  const results = []
  while (results.length < ${EACH}) {
    const group = Array.from({ length: ${AT_ONCE} }, (_, offset) => change(results.length + offset))
    results.push(...(await Promise.all(group)))
  }
  print(JSON.stringify(results))
  await opened.close()`

const LIMIT: RateLimit = { requests: 10, windowMs: 3_600_000 }

async function countAllowed(limiter: RateLimiter): Promise<number> {
  const taken = await Promise.all(Array.from({ length: 15 }, async () => limiter.take('key_kiosk')))
  return taken.filter(({ isAllowed }) => isAllowed).length
}

/** The same in another process. */
const LIMITED = `
  const limiter = opened.createRateLimiter(${JSON.stringify(LIMIT)})
  const taken = await Promise.all(Array.from({ length: 15 }, async () => limiter.take('key_kiosk')))
  print(taken.filter(({ isAllowed }) => isAllowed).length)
  await opened.close()`
