import assert from 'node:assert/strict'
import { type IdempotencyKey, INT64, type PetId, type PetRepository } from '@pet-store/domain'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { inGroups } from '../case/in-groups.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { ALIKE_TEXTS, LONGEST_NAME } from '../test-data/odd-texts.ts'
import { ascending, idsOf, listAll } from '../test-data/stored-pets.ts'
import { addUnder, expectReused, keyWith } from './idempotency-keys.ts'

/** With which adapters join an owner and a key. */
export const SEPARATORS: readonly string[] = [
  ...':/|-_., \t\n#%@!+=;&~"\\\'`\u001f\u0001',
  '","',
  '::',
  '',
]

/** Texts of the greatest length that differ at the end, of one byte each and of two. */
const longest = (length: number) =>
  ['k', 'ë'].flatMap((letter) => ['k', 'l'].map((end) => letter.repeat(length - 1) + end))

/** The longest keys that are twice as long where a quotation mark or a backslash is escaped. */
const ESCAPED = ['"', '\\'].flatMap((mark) => ['k', 'l'].map((end) => `${mark.repeat(254)}${end}`))

const MANY_KEYS = 1_100
const AT_ONCE = 50

/** The fingerprint of a pet of the greatest size, but for the last character of its name. */
const LONGEST = `available/${INT64.min}/${LONGEST_NAME.slice(2)}`

/** Owner, key and content are compared exactly, and no key is forgotten. */
export const keyComparingCases: readonly ContractCase<PetRepository>[] = casesOf(
  'pet.idempotency',
  {
    'exact-key: compares keys exactly: case, normalisation, end spaces, the last of 255 characters':
      (pets) =>
        expectDifferentKeys(
          pets,
          [...ALIKE_TEXTS, ...longest(255), ...ESCAPED].map((key) => keyWith({ key })),
        ),
    'exact-owner: compares owners exactly: case, normalisation, end spaces, all 64 characters': (
      pets,
    ) =>
      expectDifferentKeys(
        pets,
        [...ALIKE_TEXTS, 'o'.repeat(20), ...longest(64)].map((owner) => keyWith({ owner })),
      ),
    'owner-and-key: compares owner and key one by one: what moves between them is another key': (
      pets,
    ) =>
      expectDifferentKeys(
        pets,
        SEPARATORS.flatMap((separator) => [
          keyWith({ owner: 'a', key: `b${separator}c` }),
          keyWith({ owner: `a${separator}b`, key: 'c' }),
        ]),
      ),
    'many: knows the first of more than 1,000 keys as well as the last': async (pets) => {
      const call = (index: number) => pets.addWithKey(aNewPet(), keyWith({ key: `key ${index}` }))
      const added = await inGroups(MANY_KEYS, call, AT_ONCE)
      // The first ones, some in the middle, and the last ones.
      for (const start of [0, MANY_KEYS / 2, MANY_KEYS - AT_ONCE]) {
        const repeats = await inGroups(AT_ONCE, (index) => call(start + index), AT_ONCE)
        const expected = added.slice(start, start + AT_ONCE)
        expectEqual(
          repeats,
          expected.map(({ pet }) => ({ pet, isReplay: true })),
          'a repeat of each key must return its pet',
        )
      }
    },
    'exact-content: compares content exactly: case, normalisation, end space, last character':
      async (pets) => {
        const contents = ['rex', 'Zo\u00EB', 'Rex', `${LONGEST}🐕`]
        const others = ['REX', 'Zoe\u0308', 'Rex ', `${LONGEST}🐈`]
        for (const [index, fingerprint] of contents.entries()) {
          const key = `${index}`
          const stored = await addUnder(pets, aNewPet(), keyWith({ key, fingerprint }))
          await expectReused(() =>
            addUnder(pets, aNewPet(), keyWith({ key, fingerprint: others[index] ?? '' })),
          )
          const repeat = await addUnder(pets, aNewPet(), keyWith({ key, fingerprint }))
          expectEqual(repeat, stored, 'a repeat with equal content must return the stored pet')
        }
      },
  },
)

/**
 * Each key stores a pet of its own, even when all are used at the same time, and a repeat finds it.
 */
async function expectDifferentKeys(
  pets: PetRepository,
  keys: readonly IdempotencyKey[],
): Promise<void> {
  const added = await inGroups(keys.length, (index) =>
    addUnder(pets, aNewPet(), keys[index] as IdempotencyKey),
  )
  const keysById = new Map<PetId, IdempotencyKey>()
  for (const [index, { id }] of added.entries()) {
    const key = keys[index] as IdempotencyKey
    const same = keysById.get(id)
    if (same !== undefined)
      assert.fail(`${textOf(same)} and ${textOf(key)} must be different keys, got one pet for both`)
    keysById.set(id, key)
  }
  expectEqual(
    idsOf(await listAll(pets)),
    ascending(idsOf(added)),
    'each key must store a pet of its own',
  )
  for (const [index, key] of keys.entries()) {
    const repeat = await addUnder(pets, aNewPet(), key)
    expectEqual(repeat, added[index], `a repeat with ${textOf(key)} must return its pet`)
  }
}

function textOf({ owner, key }: IdempotencyKey): string {
  return `the key ${JSON.stringify(key)} of ${JSON.stringify(owner)}`
}
