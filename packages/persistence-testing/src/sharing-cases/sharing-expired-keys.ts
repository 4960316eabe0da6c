import { IDEMPOTENCY_KEY_LIFETIME_MS } from '@pet-store/domain'
import { besideAnotherProcess } from '../adapter/other-process/beside-another-process.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { inGroups } from '../case/in-groups.ts'
import { wait } from '../case/wait.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { anIdempotencyKey } from '../test-data/new-idempotency-keys.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { after } from '../test-data/times.ts'

const GROUP = { group: 'persistence.shared', timeLimitMs: 120_000 }

/**
 * So many, because one process must use a key between two steps of the other one. An adapter that
 * deletes the key that the other one has just stored is noticed for one key in twenty.
 */
const EXPIRED_KEYS = 240
const NEXT_DAY = after(IDEMPOTENCY_KEY_LIFETIME_MS)
const SPREAD_MS = 3
/** As many at a time: then the two processes stay close together. */
const AT_ONCE = 10

/** Uses the same keys in the same groups. */
const USING_EXPIRED_KEYS = `
  const { pets } = opened
  const pet = { name: 'Rex', categoryId: 1n }
  const at = new Date(${NEXT_DAY.getTime()})
  const use = async (index) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * ${SPREAD_MS}))
    const key = { owner: 'shop', key: String(index), fingerprint: 'Rex', at }
    const { pet: { id }, isReplay } = await pets.addWithKey(pet, key)
    return id + ' ' + isReplay
  }
  const results = []
  while (results.length < ${EXPIRED_KEYS}) {
    const group = Array.from({ length: ${AT_ONCE} }, (_, offset) => use(results.length + offset))
    results.push(...(await Promise.all(group)))
  }
  print(JSON.stringify(results))
  await opened.close()`

/** Two processes decide together whose pet an idempotency key has, when it has expired too. */
export const sharingExpiredKeysCases: readonly HarnessCase[] = casesOf(GROUP, {
  'expired-processes: stores one pet for an expired key that two processes use at the same time':
    besideAnotherProcess(async ({ pets }, together) => {
      const added = await inGroups(EXPIRED_KEYS, (index) =>
        pets.addWithKey(aNewPet(), anIdempotencyKey({ key: `${index}` })),
      )
      const [ours, theirs] = await together(USING_EXPIRED_KEYS, () =>
        inGroups(
          EXPIRED_KEYS,
          async (index) => {
            await wait(Math.random() * SPREAD_MS)
            const key = anIdempotencyKey({ key: `${index}`, at: NEXT_DAY })
            const { pet, isReplay } = await pets.addWithKey(aNewPet(), key)
            return `${pet.id} ${isReplay}`
          },
          AT_ONCE,
        ),
      )
      const results = [ours, JSON.parse(theirs) as readonly string[]]
      const pairs = added.map((_, index) => results.map((of) => of[index] ?? '').toSorted())
      const wrong = pairs.filter(([one = '', other = '']) => {
        const [id] = one.split(' ')
        return one !== `${id} false` || other !== `${id} true`
      })
      expectEqual(
        wrong,
        [],
        'what two processes got for a key, if not one pet that one of them stored',
      )
      const stored = await pets.list({ limit: 3 * EXPIRED_KEYS })
      expectEqual(stored.length, 2 * EXPIRED_KEYS, 'the number of pets, two for each key')
    }),
})
