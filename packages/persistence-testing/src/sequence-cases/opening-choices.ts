import type { ApiKey } from '@pet-store/access'
import fc from 'fast-check'
import { expectEqual } from '../case/expectations.ts'
import { sortedPets } from './model.ts'
import { type Choice, type Choices, callText, resultOf } from './model-call.ts'
import { openingOf, openings } from './pet-choices.ts'

/** Closes an opening and opens it again. Its next ids may be smaller than its last one. */
const reopen: Choices = openings.map(
  (number): Choice =>
    (_, database) => {
      const opening = openingOf(database, number)
      const text = callText('closed and opened again', opening)
      return {
        text,
        run: () => database.reopen(opening),
        apply(model, outcome) {
          resultOf(outcome, text)
          if (database.openings.length > 1) model.lastIds[opening] = 0n
        },
      }
    },
)

/** Closes all, and opens one for reading alone before the others. */
const openReaderFirst: Choices = fc.constant((_, database) => {
  const text = callText('all closed, and opened again after one for reading')
  return {
    text,
    run: () => database.openReaderFirst(),
    apply(model, outcome) {
      resultOf(outcome, text)
      if (database.openings.length > 1) model.lastIds.fill(0n)
    },
  }
})

/** Reads everything through an opening for reading alone, the one that is open if there is one. */
const read: Choices = fc.constant((_, database) => {
  const text = callText('opened for reading: list')
  return {
    text,
    async run() {
      const { harness, url } = database
      if (database.openings.length === 1) return undefined
      const open = database.reader()
      const reader = open ?? (await harness.open({ url, mode: 'read' }))
      try {
        return [await reader.pets.list({ limit: 100_000 }), await reader.apiKeys?.list()]
      } finally {
        if (open === undefined) await reader.close()
      }
    },
    apply(model, outcome) {
      const [pets, keys] = (resultOf(outcome, text) ?? []) as [unknown, (readonly ApiKey[])?]
      if (pets === undefined) return
      expectEqual(pets, sortedPets(model), `the pets of ${text}`)
      expectEqual(keys?.length, keys && model.apiKeys.size, `the number of keys of ${text}`)
    },
  }
})

/** How a database is opened between the calls. */
export const openingChoices: Choices = fc.oneof(reopen, openReaderFirst, read)
