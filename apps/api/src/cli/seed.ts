import { randomInt } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { readSettings } from '../settings/read-settings.ts'
import { createPetInventor } from '../transfer/invent-pets.ts'
import { hasBulkAccess, withTransfer } from '../transfer/open-transfer.ts'
import { amount, createProgress, interruptible } from '../transfer/progress.ts'

/** SQLite has one writer at a time, and a serving process waits for it. */
const PETS_PER_TRANSACTION = 5_000

/** Stores invented pets, and prints the command that stores the same ones again. */
export async function seedCommand({
  count,
  seed = randomInt(2 ** 32),
  json = false,
}: {
  count: number
  seed?: number
  json?: boolean
}): Promise<void> {
  let stored = 0
  const settings = readSettings()
  if (!(await hasBulkAccess(settings))) console.error('This adapter has no bulk access: pets are stored one by one.')
  await withTransfer(settings, {}, ({ addPets }) =>
    interruptible(
      () => `Stopped. ${amount(stored, 'invented pet')} ${stored === 1 ? 'is' : 'are'} stored.`,
      async () => {
        const invent = createPetInventor(seed)
        const meter = createProgress().begin('Storing', count)
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
  const command = `pet-store seed --count ${count} --seed ${seed}`
  if (json) console.log(JSON.stringify({ stored, seed }))
  else console.log(`Stored ${amount(count, 'invented pet')}. The same again: ${command}`)
}
