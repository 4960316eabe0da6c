import { randomInt } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { readSettings } from '../settings/read-settings.ts'
import { createPetInventor } from '../transfer/invent-pets.ts'
import { withTransfer } from '../transfer/open-transfer.ts'
import { amount, interruptible, showProgress } from '../transfer/progress.ts'

/** SQLite has one writer at a time, and a serving process waits for it. */
const PETS_PER_TRANSACTION = 5_000

interface SeedOptions {
  readonly count: number
  readonly seed?: number
  readonly json?: boolean
}

/** Stores invented pets, and prints the command that stores the same ones again. */
export async function seedCommand({ count, seed = randomInt(2 ** 32), json = false }: SeedOptions): Promise<void> {
  let stored = 0
  await withTransfer(readSettings(), {}, ({ addPets }) =>
    interruptible(
      () => `Stopped. ${amount(stored, 'invented pet')} stored.`,
      async () => {
        const invent = createPetInventor(seed)
        const meter = showProgress('Storing', count)
        while (stored < count) {
          const pets = Array.from({ length: Math.min(count - stored, PETS_PER_TRANSACTION) }, invent)
          await addPets(pets)
          stored += pets.length
          meter.advance(pets.length)
          // SQLite works without the event loop, which Ctrl+C needs.
          await setImmediate()
        }
        meter.end()
      },
    ),
  )
  if (json) return console.log(JSON.stringify({ stored, seed }))
  console.log(`Stored ${amount(count, 'invented pet')}. The same again: pet-store seed --count ${count} --seed ${seed}`)
}
