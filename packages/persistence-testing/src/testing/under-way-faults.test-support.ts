import { IDEMPOTENCY_KEY_LIFETIME_MS, type PetRepository } from '@pet-store/domain'
import { dated, petFaults, textOf } from './fake-pets.test-support.ts'
import { type Fault, pause } from './fault.test-support.ts'

/** What a repository does wrong with calls that come while another one is under way. */
export const underWayFaults: readonly Fault<PetRepository>[] = petFaults('pet.idempotency', {
  'under-way: gives the pet of a call under way to a later one, whatever its content': (
    _,
    { addWithKey },
  ) => {
    const running = new Map<string, ReturnType<PetRepository['addWithKey']>>()
    return {
      async addWithKey(pet, key, cancellation) {
        // Calls of one moment do not see each other.
        await pause()
        const first = await running.get(textOf(key))
        if (first !== undefined) return { ...first, isReplay: true }
        const work = async () => {
          for (let step = 0; step < 4; step += 1) await pause()
          return addWithKey(pet, key, cancellation)
        }
        const created = work()
        running.set(textOf(key), created)
        return created.finally(() => running.delete(textOf(key)))
      },
    }
  },
  'expired-together: deletes a few keys at a time, by the times of their first uses': (
    { memory },
    { addWithKey },
  ) => {
    const firstUses = new Map<string, number>()
    return {
      async addWithKey(pet, key) {
        const atMs = dated(key).at.getTime()
        const untilMs = Math.min(atMs, Date.now()) - IDEMPOTENCY_KEY_LIFETIME_MS
        const expired = [...firstUses].filter(([, firstMs]) => firstMs <= untilMs)
        for (const [text] of expired.slice(0, 10)) {
          memory.keys.delete(text)
          firstUses.delete(text)
        }
        const created = await addWithKey(pet, key)
        if (!firstUses.has(textOf(key))) firstUses.set(textOf(key), atMs)
        return created
      },
    }
  },
  'expired-together: loses the pet of a call if another one deletes expired keys meanwhile': (
    { memory },
    { addWithKey },
  ) => {
    let deletions = 0
    return {
      async addWithKey(pet, key) {
        const untilMs = Math.min(dated(key).at.getTime(), Date.now()) - IDEMPOTENCY_KEY_LIFETIME_MS
        const isDeleting = [...memory.keys.values()].some((one) => one.key.at.getTime() <= untilMs)
        const before = deletions
        if (isDeleting) deletions += 1
        await pause()
        const created = await addWithKey(pet, key)
        if (isDeleting && deletions > before + 1) memory.pets.delete(created.pet.id)
        return created
      },
    }
  },
})
