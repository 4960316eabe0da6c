import { randomInt } from 'node:crypto'
import { createPetInventor } from '../data/invent-pets.ts'
import { createProgress } from '../data/progress.ts'
import { withBulk } from '../data/with-bulk.ts'

const BATCH = 10_000

/** Stores invented pets. The seed is told, so that the same ones can be had elsewhere. */
export async function seedCommand({
  count,
  seed = randomInt(2 ** 32),
}: {
  count: number
  seed?: number
}): Promise<void> {
  await withBulk(
    ({ migrateOnStart }) => migrateOnStart,
    async (bulk) => {
      const invent = createPetInventor(seed)
      const meter = createProgress().begin('Storing', count)
      for (let left = count; left > 0; left -= BATCH) {
        const pets = Array.from({ length: Math.min(left, BATCH) }, invent)
        await bulk.addPets(pets)
        meter.advance(pets.length)
      }
      meter.end()
    },
  )
  console.log(`Stored invented pets; the same ones elsewhere: --count ${count} --seed ${seed}`)
}
