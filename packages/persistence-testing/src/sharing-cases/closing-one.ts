import { expectWorks } from '../adapter/expect-works.ts'
import { withPersistence } from '../adapter/with-persistence.ts'
import { awaitedLater } from '../case/awaited-later.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { aTurnLater, wait } from '../case/wait.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { assertSeveralProcesses } from '../harness/several-processes.ts'
import { anIdempotencyKey } from '../test-data/new-idempotency-keys.ts'
import { addManyPets, aNewPet } from '../test-data/new-pets.ts'
import { idsOf } from '../test-data/stored-pets.ts'

const GROUP = { group: 'persistence.shared', timeLimitMs: 120_000 }

const CALLERS = 8
const LONG_PETS = 60
const CLOSE_MS = 30_000
const POLL_MS = 10

/** Closing an opening waits for its own calls alone. */
export const closingOneCases: readonly HarnessCase[] = casesOf(GROUP, {
  'close-beside-calls: closes one opening while another one has calls under way all the time':
    async (harness, scale) => {
      assertSeveralProcesses(harness)
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      await withPersistence(harness, url, async ({ pets }) => {
        const key = anIdempotencyKey()
        const { pet } = await pets.addWithKey(aNewPet(), key)
        // So long that their replies come in parts, and others are under way when one ends.
        await addManyPets(pets, LONG_PETS, () => ({ name: '🐕'.repeat(990) }))
        const other = await harness.open({ url, mode: 'migrate' })
        await expectWorks(other, 'other')
        const query = { after: pet.id, limit: LONG_PETS }
        const listed = idsOf(await pets.list(query))
        let isClosed = false
        const calling = Array.from({ length: CALLERS }, async (_, caller) => {
          for (let count = caller; !isClosed; count += 1) {
            const found =
              caller % 4 === 0
                ? [(await pets.addWithKey(aNewPet(), key)).pet]
                : await pets.list(query)
            const expected = caller % 4 === 0 ? [pet.id] : listed
            expectEqual(
              idsOf(found),
              expected,
              'the pets that are read while another one is closed',
            )
            if (count % CALLERS === 0) await aTurnLater()
          }
        })
        const calls = awaitedLater(Promise.all(calling))
        const closing = awaitedLater(other.close())
        let hasEnded = false
        const end = () => {
          hasEnded = true
        }
        closing.then(end, end)
        const closeMs = CLOSE_MS * scale
        for (let polls = 0; !hasEnded && polls < closeMs / POLL_MS; polls += 1) await wait(POLL_MS)
        isClosed = true
        expectEqual(hasEnded, true, `whether close has ended within ${closeMs} ms`)
        await closing
        await calls
      })
    },
})
