import { IDEMPOTENCY_KEY_LIFETIME_MS, INT64, type Pet } from '@pet-store/domain'
import { textOf } from '../fake-pets.test-support.ts'
import type { State } from './state.test-support.ts'
import { waitInSteps } from './wait.test-support.ts'

/** When this process has first used each idempotency key, of any file. */
const firstUses = new Map<string, number>()

/** What a file contains, of which an opening breaks a guarantee. */
export function stateFaults({
  has,
  isReopened,
  isOutdated,
}: {
  readonly has: (fault: string) => boolean
  readonly isReopened: boolean
  readonly isOutdated: boolean
}): (stored: State) => State {
  let adding = 0
  const changed = new WeakSet<object>()
  const repeats = new Map<string, { readonly pet: Pet; readonly at: Date | undefined }>()
  return (stored: State): State => {
    if (!isReopened) return stored
    const { pets, apiKeys } = stored
    if (has('forgets-own-ends')) forgetOwnEnds(apiKeys)
    const { find, list, addWithKey, memory } = { ...pets }
    if (has('garbles-when-reopened'))
      pets.list = async (query) =>
        (await list(query)).map((pet) => ({
          ...pet,
          name: Buffer.from(pet.name).toString('latin1'),
        }))
    if (isOutdated && has('leaves-an-index-empty'))
      pets.list = async (query) =>
        (await list(query)).filter(({ id }) => query.status === undefined || id > 4n)
    if (has('remembers-deleted-pets'))
      pets.addWithKey = async (pet, key) => {
        const id = memory.keys.get(textOf(key))?.id
        return id === undefined ? addWithKey(pet, key) : { pet: { ...pet, id }, isReplay: true }
      }
    if (has('ages-keys-from-their-first-use'))
      pets.addWithKey = (pet, key) => {
        const untilMs = Math.min(Number(key.at), Date.now()) - IDEMPOTENCY_KEY_LIFETIME_MS
        for (const [text, atMs] of firstUses) if (atMs <= untilMs) memory.keys.delete(text)
        firstUses.set(textOf(key), firstUses.get(textOf(key)) ?? Number(key.at))
        return addWithKey(pet, key)
      }
    if (has('caches-repeats'))
      pets.addWithKey = async (pet, key) => {
        const known = repeats.get(textOf(key))
        const ageMs = Number(key.at) - Number(known?.at)
        if (known !== undefined && ageMs < IDEMPOTENCY_KEY_LIFETIME_MS)
          return { pet: { ...known.pet }, isReplay: true }
        const added = await addWithKey(pet, key)
        repeats.set(textOf(key), { pet: added.pet, at: key.at })
        return added
      }
    if (has('deletes-keys-by-call'))
      pets.addWithKey = (pet, key) => {
        for (const [text, known] of memory.keys) {
          const ageMs = Number(key.at) - known.key.at.getTime()
          if (ageMs >= IDEMPOTENCY_KEY_LIFETIME_MS) memory.keys.delete(text)
        }
        return addWithKey(pet, key)
      }
    // What is stored may be the same object as in the last call.
    if (has('checks-the-first-id-of-several') && !changed.has(pets)) {
      changed.add(pets)
      const { add } = pets
      pets.add = async (pet) => {
        adding += 1
        const id = BigInt(memory.pets.size)
        const added = adding === 1 ? add(pet) : { ...pet, id }
        if (adding > 1) memory.pets.set(id, { ...pet, id })
        await Promise.resolve()
        adding -= 1
        return added
      }
    }
    if (has('deletes-keys-a-millisecond-early'))
      pets.addWithKey = (pet, key) => {
        const untilMs = Math.min(Number(key.at) + 1, Date.now()) - IDEMPOTENCY_KEY_LIFETIME_MS
        for (const [text, known] of memory.keys)
          if (known.key.at.getTime() <= untilMs) memory.keys.delete(text)
        return addWithKey(pet, key)
      }
    if (has('rounds-ids-of-repeats'))
      pets.addWithKey = (pet, key) => {
        const { id = 0n } = memory.keys.get(textOf(key)) ?? {}
        if (BigInt(Number(id)) !== id) memory.keys.delete(textOf(key))
        return addWithKey(pet, key)
      }
    if (has('hides-used-up-ids') && memory.lastId === INT64.max) {
      const fail = () => Promise.reject(new Error('out of range'))
      Object.assign(pets, { add: fail, addWithKey: fail })
    }
    if (has('decodes-by-parts'))
      pets.list = async (query) =>
        (await list(query)).map((pet, index) =>
          // The end of the first 64 KiB.
          index === 16 ? { ...pet, name: pet.name.replace(/.$/u, '\uFFFD') } : pet,
        )
    if (has('hides-after-gaps'))
      pets.list = async (query) => {
        const ids = [...memory.pets.keys()]
        const gap = ids.findIndex((id, index) => index > 0 && id !== (ids[index - 1] ?? 0n) + 1n)
        return (await list(query)).filter(({ id }) => gap === -1 || id < (ids[gap] ?? 0n))
      }
    if (has('finds-by-double'))
      pets.find = async (id) =>
        [...memory.pets.values()].find((pet) => Number(pet.id) === Number(id)) ?? find(id)
    if (has('pages-by-double'))
      pets.list = async ({ after, ...query }) =>
        (await list(query)).filter(({ id }) => after === undefined || Number(id) > Number(after))
    return stored
  }
}

/** The end of an overlap becomes the own end of a key that is used after it was replaced. */
function forgetOwnEnds(apiKeys: State['apiKeys']): void {
  const { markUsed } = apiKeys
  apiKeys.markUsed = async (uses) => {
    await markUsed.call(apiKeys, uses)
    for (const { id } of uses) apiKeys.change(id, ({ expiresAt }) => ({ ownExpiresAt: expiresAt }))
  }
}

/** Deletes idempotency keys after half of their lifetime, or after all of it by the clock alone. */
export function deleteOldKeys({ pets }: State, has: (fault: string) => boolean): void {
  if (!has('deletes-keys-early') && !has('deletes-late-keys')) return
  const { keys } = pets.memory
  const ageMs = IDEMPOTENCY_KEY_LIFETIME_MS / (has('deletes-keys-early') ? 2 : 1)
  for (const [text, { key }] of keys) if (key.at.getTime() < Date.now() - ageMs) keys.delete(text)
}

/**
 * Returns a call as it is, and does something when it has resolved, which nobody waits for. It goes
 * on for long: on a busy machine an outage comes much later.
 */
export function failingLater(fails: boolean, isDown: () => boolean) {
  return <Result>(call: Promise<Result>): Promise<Result> => {
    const work = async () => {
      await waitInSteps(2_500, isDown)
      if (isDown()) throw new Error('ECONNREFUSED')
    }
    if (fails) void call.then(work, () => undefined)
    return call
  }
}
