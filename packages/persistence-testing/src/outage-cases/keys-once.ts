import type { ApiKeyRepository } from '@pet-store/access'
import { expectWorksAgain } from '../adapter/expect-works.ts'
import { aRandomMoment, interrupted, UNAVAILABLE } from '../adapter/outage.ts'
import { untilAvailable } from '../adapter/until-available.ts'
import { apiKeysOf } from '../adapter/with-persistence.ts'
import { awaitedLater } from '../case/awaited-later.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual, expectRejection } from '../case/expectations.ts'
import { aTurnLater, wait } from '../case/wait.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { aNewApiKey } from '../test-data/new-api-keys.ts'
import { after } from '../test-data/times.ts'

const GROUP = { group: 'persistence.unavailable', timeLimitMs: 120_000 }

const ROUNDS = 4
const WRITERS = 8
const CHANGERS = 4
const PAUSE_MS = 20
/** For how long the first changes of a round may take before it is interrupted all the same. */
const BEGINNING_MS = 1_000

/** Short, so that an adapter that tries again finds the database again. */
const OUTAGE_MS = 50

/** A change of an API key that an outage finds is made once at most. */
export const keysOnceCases: readonly HarnessCase[] = casesOf(GROUP, {
  'keys-once: repeats no change of an API key that an interruption finds': interrupted(
    async ({ persistence, interrupt }) => {
      const apiKeys = apiKeysOf(persistence)
      const said: Said = { stored: [], notStored: [] }
      for (let round = 0; round < ROUNDS; round += 1) {
        const hasEnded = { value: false }
        const storedBefore = said.stored.length
        const writing = Array.from({ length: WRITERS + CHANGERS }, (_, writer) => {
          const write = writer < WRITERS ? rotateUntil : changeUntil
          return awaitedLater(write(hasEnded, apiKeys, `${round}-${writer}`, said))
        })
        try {
          // Then changes of every kind are under way, on a busy machine too.
          await untilStored(said, storedBefore + WRITERS + CHANGERS)
          await aRandomMoment(10, 60)
          const { end } = await interrupt()
          await wait(OUTAGE_MS)
          await end()
          await untilAvailable(() => apiKeys.find('key_none'))
          await wait(OUTAGE_MS)
        } finally {
          hasEnded.value = true
        }
        await Promise.all(writing)
      }
      await expectWorksAgain(persistence, 'afterwards')
      const stored = new Set<string>()
      for (const { id, revokedAt, lastUsedAt } of await apiKeys.list()) {
        stored.add(id)
        if (revokedAt !== undefined) stored.add(revocationOf(id))
        if (lastUsedAt !== undefined) stored.add(useOf(id))
      }
      const lost = said.stored.filter((change) => !stored.has(change))
      expectEqual(
        lost,
        [],
        'the API keys, revocations and uses that were acknowledged and are lost',
      )
      const found = said.notStored.filter((change) => stored.has(change))
      expectEqual(found, [], 'the API keys, revocations and uses stored although said not_stored')
    },
  ),
})

const revocationOf = (id: string) => `${id}, revoked`
const useOf = (id: string) => `${id}, used`

/** The ids of new keys, and other changes, by what the calls said that store them. */
interface Said {
  readonly stored: string[]
  readonly notStored: string[]
}

/** Resolves when so many changes are stored, or after a time. */
async function untilStored({ stored }: Said, count: number): Promise<void> {
  const endMs = performance.now() + BEGINNING_MS
  while (stored.length < count && performance.now() < endMs) await wait(1)
}

/** Adds keys that nobody else has, and replaces them; each is called once. */
async function rotateUntil(
  hasEnded: { readonly value: boolean },
  apiKeys: ApiKeyRepository,
  label: string,
  said: Said,
): Promise<void> {
  for (let count = 0; !hasEnded.value; count += 1) {
    // An adapter that writes at once would leave the interruption no turn of the event loop.
    await aTurnLater()
    const old = aNewApiKey(`${label}-${count}`)
    const next = aNewApiKey(`${label}-${count}-next`)
    if (!(await isDone(`add of ${old.id}`, old.id, said, () => apiKeys.add(old)))) continue
    await isDone(`replace of ${old.id}`, next.id, said, async () => {
      const result = await apiKeys.replace(old.id, next, after(10))
      // False if the adapter has sent it twice, and the first time it was done.
      expectEqual(result, true, `replace of ${old.id}, which no other call replaces`)
    })
  }
}

/** Revokes and uses keys that nobody else has; each is changed once. */
async function changeUntil(
  hasEnded: { readonly value: boolean },
  apiKeys: ApiKeyRepository,
  label: string,
  said: Said,
): Promise<void> {
  for (let count = 0; !hasEnded.value; count += 1) {
    await aTurnLater()
    const key = aNewApiKey(`${label}-${count}-changed`)
    if (!(await isDone(`add of ${key.id}`, key.id, said, () => apiKeys.add(key)))) continue
    const revoke = async () => void (await apiKeys.revoke(key.id, after(5)))
    const use = () => apiKeys.markUsed([{ id: key.id, at: after(3) }])
    await Promise.all([
      isDone(`revoke of ${key.id}`, revocationOf(key.id), said, revoke),
      isDone(`use of ${key.id}`, useOf(key.id), said, use),
    ])
  }
}

/** Whether a call that stores this change resolves; it may only reject as unavailable. */
async function isDone(
  name: string,
  change: string,
  said: Said,
  call: () => Promise<void>,
): Promise<boolean> {
  let error: unknown
  const done = await call().then(
    () => true,
    (reason: unknown) => {
      error = reason
      return false
    },
  )
  if (done) said.stored.push(change)
  if (done) return true
  if (Object(error).outcome === 'not_stored') said.notStored.push(change)
  const expected = `${name}, which no other call makes, must resolve or reject as unavailable`
  const { code } = UNAVAILABLE
  await expectRejection(() => Promise.reject(error), expected, { code })
  await wait(PAUSE_MS)
  return false
}
