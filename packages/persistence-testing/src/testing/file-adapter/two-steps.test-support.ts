import type { NewApiKey } from '@pet-store/access'
import {
  type CreatedPet,
  IDEMPOTENCY_KEY_LIFETIME_MS,
  type NewPet,
  type Pet,
} from '@pet-store/domain'
import type { DatedKey } from '@pet-store/domain/memory'
import { textOf } from '../fake-pets.test-support.ts'
import type { State } from './state.test-support.ts'
import { wait, waitInSteps } from './wait.test-support.ts'

type Call = <Result>(method: (current: State) => Promise<Result>) => Promise<Result>

/**
 * On a busy machine few calls of another process come within milliseconds, and one of two processes
 * begins much later.
 */
const betweenSteps = (durationMs = 100) => waitInSteps(durationMs)

/** Stores a pet with the beginning of its name, and then with all of it. */
export async function addInTwoSteps(call: Call, pet: NewPet): Promise<Pet> {
  const { id } = await call(({ pets }) => pets.add({ ...pet, name: pet.name.slice(0, 4) }))
  await betweenSteps()
  const whole = { ...pet, id }
  await call(async ({ pets }) => pets.memory.pets.set(id, whole))
  return whole
}

const underWay = new Map<string, Pet>()

/** Waits before it stores a pet, and returns it to a repeat already then. */
async function addAfterReplays(call: Call, pet: NewPet, key: DatedKey): Promise<CreatedPet> {
  const known = underWay.get(key.key)
  if (known !== undefined) return { pet: known, isReplay: true }
  underWay.set(key.key, { ...pet, id: 1n })
  await betweenSteps(20)
  underWay.delete(key.key)
  return call(({ pets }) => pets.addWithKey(pet, key))
}

/** Looks at a key, stores its successor with the key that ends, or before it, and ends the key. */
export async function replaceInTwoSteps(
  call: Call,
  isStoredFirst: boolean,
  id: string,
  successor: NewApiKey,
  until: Date,
): Promise<boolean> {
  const old = await call(({ apiKeys }) => apiKeys.find(id))
  if (old?.replacedBy !== undefined) return false
  if (isStoredFirst) await call(({ apiKeys }) => apiKeys.add(successor))
  await betweenSteps()
  return call(async ({ apiKeys }) => {
    if (!isStoredFirst) await apiKeys.add(successor)
    return apiKeys.end(id, until, successor.id)
  })
}

/** Writes over a revocation what it has read before. */
export async function overwriteRevocation(call: Call, id: string): Promise<void> {
  const read = await call(({ apiKeys }) => apiKeys.find(id))
  await betweenSteps()
  await call(async ({ apiKeys }) => apiKeys.change(id, () => ({ revokedAt: read?.revokedAt })))
}

/** Marks some keys at a time, so slowly that a process can be killed between two parts. */
export async function useInParts<Use>(
  uses: readonly Use[],
  partLength: number,
  mark: (part: readonly Use[]) => Promise<void>,
): Promise<void> {
  await mark(uses.slice(0, partLength))
  for (let start = partLength; start < uses.length; start += partLength) {
    await wait(5)
    await mark(uses.slice(start, start + partLength))
  }
}

/** Looks for an expired key, and deletes a moment later whichever is there then. */
async function addAfterDeleting(call: Call, pet: NewPet, key: DatedKey): Promise<CreatedPet> {
  const known = await call(async ({ pets }) => pets.memory.keys.get(textOf(key))?.key)
  if (key.at.getTime() - Number(known?.at) >= IDEMPOTENCY_KEY_LIFETIME_MS) {
    // Long, because SQLite lets one process wait while the other one does much.
    await betweenSteps(200)
    await call(async ({ pets }) => pets.memory.keys.delete(textOf(key)))
  }
  return call(({ pets }) => pets.addWithKey(pet, key))
}

/** How an adapter with one of these faults adds a pet with a key. */
export function addKeyedIn(has: (fault: string) => boolean): typeof addAfterReplays | undefined {
  if (has('replays-before-it-stores')) return addAfterReplays
  return has('deletes-expired-keys-later') ? addAfterDeleting : undefined
}
