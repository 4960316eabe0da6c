import assert from 'node:assert/strict'
import {
  INT64,
  type NewPet,
  PET_NAME,
  PET_STATUSES,
  type Pet,
  type PetInput,
  type PetRepository,
} from '@pet-store/domain'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { inGroups } from '../case/in-groups.ts'
import { addKeyed, addManyPets, aNewPet } from '../test-data/new-pets.ts'
import { ODD_NAMES } from '../test-data/odd-texts.ts'
import { listAll } from '../test-data/stored-pets.ts'

// Beyond 2^53 a JavaScript number is no longer exact, in either direction.
const DOUBLE = 2n ** 53n
const CATEGORY_IDS = [
  ...[0n, -1n, DOUBLE - 1n, DOUBLE, DOUBLE + 1n, -DOUBLE + 1n, -DOUBLE, -DOUBLE - 1n],
  ...[INT64.max, INT64.min],
]

/** A pet with every field: one that is missing here does not compile. */
const ALL = { name: 'Rex', categoryId: 7n, status: 'pending' } as const

const GROUP = { group: 'pet.fields', timeLimitMs: 60_000 }

/** Every field is returned exactly as given, by every operation. */
export const fieldCases: readonly ContractCase<PetRepository>[] = casesOf(GROUP, {
  'all: returns every field from add, addWithKey, find and list': (pets) =>
    expectUnchanged(pets, [aNewPet(ALL satisfies Required<PetInput>)]),
  'status: returns every status, and none where none was given': (pets) =>
    expectUnchanged(pets, [aNewPet(), ...PET_STATUSES.map((status) => aNewPet({ status }))]),
  'name: returns names exactly: any character, not trimmed, not normalised, up to the maximum': (
    pets,
  ) =>
    expectUnchanged(
      pets,
      ODD_NAMES.map((name) => aNewPet({ name })),
    ),
  'every-character: returns names exactly that together have every character that is allowed':
    async (pets) => {
      const names = namesOfEveryCharacter()
      const added = await addManyPets(pets, names.length, (index) => ({ name: names[index] ?? '' }))
      const expected = new Set(names)
      for (const { name } of added) {
        // The text of an error is made only for one: for all names it takes seconds.
        if (!expected.delete(name))
          assert.fail(`add must return the name as given, got ${codesOf(name)}`)
      }
      const found = await inGroups(added.length, (index) => pets.find((added[index] as Pet).id))
      const listed = await pets.list({ limit: names.length })
      for (const [index, { id, name }] of added.entries()) {
        for (const pet of [found[index], listed[index]]) {
          if (pet?.id !== id) assert.fail(`find and list must return the pet ${id}, got ${pet?.id}`)
          if (pet.name !== name)
            assert.fail(`find and list must return the name as given: ${codesOf(name, pet.name)}`)
        }
      }
    },
  'category: returns category ids exactly over int64': (pets) =>
    expectUnchanged(
      pets,
      CATEGORY_IDS.map((categoryId) => aNewPet({ categoryId })),
    ),
})

/** Adds each pet twice: adapters often have a statement of its own for `addWithKey`. */
async function expectUnchanged(pets: PetRepository, each: readonly NewPet[]): Promise<void> {
  const given = [...each, ...each]
  const add = (pet: NewPet, index: number) =>
    index < each.length ? pets.add(pet) : addKeyed(pets, pet)
  const added = await inGroups(given.length, (index) => add(given[index] as NewPet, index))
  const found = await inGroups(added.length, (index) => pets.find((added[index] as Pet).id))
  const listed = new Map((await listAll(pets)).map((pet) => [pet.id, pet]))
  for (const [index, pet] of given.entries()) {
    const id = added[index]?.id ?? 0n
    // The strict comparison tells a missing key from an undefined one, and 1 from 1n.
    const expected = { ...pet, id }
    expectEqual(
      { added: added[index], found: found[index], listed: listed.get(id) },
      { added: expected, found: expected, listed: expected },
      'add, find and list must return the fields of the pet exactly as given',
    )
  }
}

const LAST_CODE_POINT = 0x10ffff
let everyCharacter: readonly string[] | undefined

/** As many names as it takes, each as long as a name may be; made once, for every adapter. */
function namesOfEveryCharacter(): readonly string[] {
  everyCharacter ??= makeNames()
  return everyCharacter
}

function makeNames(): readonly string[] {
  const names: string[] = []
  // Joined at the end: text that grows by a character at a time takes ten times as long.
  let characters: string[] = []
  const endName = () => {
    if (characters.length > 0) names.push(characters.join(''))
    characters = []
  }
  for (let code = 1; code <= LAST_CODE_POINT; code += 1) {
    const character = String.fromCodePoint(code)
    if (PET_NAME.unstorable.test(character)) continue
    // A name needs one that is not white space.
    if (characters.length === 0) characters.push('x')
    characters.push(character)
    if ((code + 1) % (PET_NAME.maxCodePoints - 1) === 0) endName()
  }
  endName()
  return names
}

/** What a name begins with, or the first character in which two differ. */
function codesOf(name: string, other?: string): string {
  const codes = (text: string) => [...text].map((character) => `U+${hexOf(character)}`)
  if (other === undefined) return codes(name).slice(0, 5).join(' ')
  const given = codes(name)
  const got = codes(other)
  const index = given.findIndex((code, position) => code !== got[position])
  return `${given[index]} became ${got[index]}`
}

function hexOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
}
