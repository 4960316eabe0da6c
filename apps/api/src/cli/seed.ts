import { hash, randomInt } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { type NewPet, validateNewPet } from '@pet-store/domain'
import { amount } from '../messages/amount.ts'
import { showProgress } from '../messages/progress.ts'
import { openBulkAccess, openPersistence } from '../persistence/open-persistence.ts'
import { readSettings } from '../settings/read-settings.ts'
import { interruptible } from './interruptible.ts'

interface SeedOptions {
  readonly count: number
  readonly seed?: number
  readonly json?: boolean
}

/** Stores invented pets, and prints the command that stores the same ones again. */
export async function seedCommand({
  count,
  seed = randomInt(2 ** 32),
  json = false,
}: SeedOptions): Promise<void> {
  const target = await openTarget()
  const progress = showProgress('Storing', count)
  let stored = 0
  async function storeAll(): Promise<void> {
    while (stored < count) {
      const length = Math.min(count - stored, target.atOnce)
      await target.addPets(Array.from({ length }, (_, index) => inventPet(seed, stored + index)))
      stored += length
      progress.advance(length)
      // SQLite blocks the event loop, which has to run to notice Ctrl+C.
      await setImmediate()
    }
  }
  try {
    await interruptible(() => `Stopped. ${amount(stored, 'invented pet')} stored.`, storeAll)
  } finally {
    progress.end()
    await target.close()
  }
  if (json) return console.log(JSON.stringify({ stored, seed }))
  const again = `pet-store seed --count ${count} --seed ${seed}`
  console.log(`Stored ${amount(count, 'invented pet')}. To store the same pets again: ${again}`)
}

/** Opens the database for bulk access, or, if its adapter has none, to add a few pets at a time. */
async function openTarget() {
  const settings = readSettings()
  const bulk = await openBulkAccess(settings)
  if (bulk !== undefined) {
    const addPets = (pets: readonly NewPet[]) => bulk.addPets(pets)
    // No more at a time, because SQLite has one writer, and a serving process waits for this one.
    return { addPets, atOnce: 5_000, close: () => bulk.close() }
  }
  const { pets, close } = await openPersistence(settings)
  return {
    addPets: (added: readonly NewPet[]) => Promise.all(added.map((pet) => pets.add(pet))),
    atOnce: 16,
    close,
  }
}

const NAMES = [
  'Bella Luna Max Charlie Milo Rex Daisy Rocky Coco Lola Oscar Ruby Leo Nala Simba Willow Bruno',
  'Poppy Toby Molly Felix Hazel Otis Pepper Biscuit Maple Archie Juno Gizmo Olive',
].flatMap((names) => names.split(' '))
const TRAITS = [
  'Brave Fluffy Sleepy Curious Gentle Quick Hungry Loud Clever Little Old Spotted Striped Golden',
  'Grey Shy',
].flatMap((traits) => traits.split(' '))
/** A few pets have no status. */
const STATUSES = [
  'available',
  'available',
  'available',
  'available',
  'pending',
  'sold',
  undefined,
] as const
const CATEGORIES = 12

/** Invents the pet at an index of an endless list. The same seed gives the same list. */
export function inventPet(seed: number, index: number): NewPet {
  const bytes = hash('sha256', `${seed}/${index}`, 'buffer')
  const one = <Value>(values: readonly Value[], byte: number) =>
    values[bytes.readUInt8(byte) % values.length] as Value
  const name = one(NAMES, 0)
  const status = one(STATUSES, 1)
  return validateNewPet({
    name: one([name, `${name} the ${one(TRAITS, 2)}`], 3),
    categoryId: BigInt(1 + (bytes.readUInt8(4) % CATEGORIES)),
    ...(status !== undefined && { status }),
  })
}
