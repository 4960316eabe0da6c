import type { ApiKey } from '@pet-store/access'
import fc from 'fast-check'
import { expectEqual } from '../case/expectations.ts'
import { sortedPets } from '../model/model.ts'
import { type Choice, type Choices, callText, resultOf } from '../model/model-call.ts'
import { openingOf, openings } from './openings.ts'
import { keysOf } from './returned-api-keys.ts'

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

/**
 * Reads with every function through an opening for reading alone, the one that is open if there is
 * one.
 */
const read: Choices = fc.constant((before, database) => {
  const text = callText('opened for reading: everything')
  const somePets = sortedPets(before).slice(-SOME)
  const someKeys = [...before.apiKeys.values()].slice(-SOME)
  return {
    text,
    async run() {
      const { harness, url } = database
      if (database.openings.length === 1) return undefined
      const open = database.reader()
      const reader = open ?? (await harness.open({ url, mode: 'read' }))
      const { pets, apiKeys } = reader
      try {
        return {
          pets: await pets.list({ limit: 100_000 }),
          sold: await pets.list({ status: 'sold', limit: 100_000 }),
          foundPets: await Promise.all(somePets.map(({ id }) => pets.find(id))),
          keys: sortedKeys(await apiKeys?.list()),
          changed: sortedKeys(await apiKeys?.listChangedSince?.(new Date(0))),
          found: await Promise.all(someKeys.map(async ({ id }) => apiKeys?.find(id))),
          foundByHash: await Promise.all(
            someKeys.map(async ({ sha256 }) => apiKeys?.findByHash(sha256)),
          ),
        }
      } finally {
        if (open === undefined) await reader.close()
      }
    },
    apply(model, outcome) {
      const read = resultOf(outcome, text) as {
        readonly keys?: unknown
        readonly changed?: unknown
      }
      if (read === undefined) return
      const pets = sortedPets(model)
      const keys = sortedKeys(keysOf(model))
      const found = someKeys.map(({ id }) => keys?.find((key) => key.id === id))
      const expected = {
        pets,
        sold: pets.filter(({ status }) => status === 'sold'),
        foundPets: somePets,
        keys: read.keys && keys,
        changed: read.changed && sortedKeys(keysOf(model, new Date(0))),
        found,
        foundByHash: found,
      }
      expectEqual(read, expected, `the results of ${text}`)
    },
  }
})

/** How many pets and API keys are looked for. */
const SOME = 5

function sortedKeys(keys: readonly ApiKey[] | undefined): readonly ApiKey[] | undefined {
  return keys?.toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

/** How a database is opened between the calls. */
export const openingChoices: Choices = fc.oneof(reopen, openReaderFirst, read)
