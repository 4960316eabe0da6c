import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'

/**
 * A pet of the data set, under the names of the wire. A status of `null` is left out of responses.
 */
export interface DataPet {
  readonly id: number
  readonly name: string
  readonly categoryId: number
  readonly status: string | null
}

const ASCII_NAMES = ['Rex', 'Bella "the second"', "O'Malley", 'Tiger Lily of the Valley']
const OTHER_NAMES = ['Żółw', 'Mašenka', '金魚', 'Löwe 🦁']

/** The part of the pets that have ASCII names; every second one of these has `STATUS`. */
const ASCII_PART = 0.8
export const STATUS = 'available'

/** Returns the pet with this id in a data set of `size` pets: the same one in every run. */
export function dataPet(id: number, size: number): DataPet {
  const isAscii = id <= size * ASCII_PART
  const names = isAscii ? ASCII_NAMES : OTHER_NAMES
  return {
    id,
    name: `${names[id % names.length]} ${id}`,
    categoryId: (id * 1_000_003) % 9_007_199_254_740,
    status: isAscii && id % 2 > 0 ? STATUS : null,
  }
}

/** Pets by ascending id after an id: what a list must contain. */
export function dataPage(
  size: number,
  limit: number,
  { after = 0, status }: { after?: number; status?: string } = {},
) {
  const page: DataPet[] = []
  for (let id = after + 1; id <= size && page.length < limit; id += 1) {
    const pet = dataPet(id, size)
    if (status === undefined || pet.status === status) page.push(pet)
  }
  return page
}

/** A pet as every contestant must write it, byte for byte. */
export function petJson({ id, name, categoryId, status }: DataPet): string {
  return JSON.stringify({ id, name, categoryId, ...(status !== null && { status }) })
}

/** The request body that adds a pet, and a line of a file that is imported. */
export function newPetJson({ name, categoryId, status }: DataPet): string {
  return JSON.stringify({ name, categoryId, ...(status !== null && { status }) })
}

/** Writes a file that can be imported. */
export async function writeDataSet(path: string, size: number): Promise<void> {
  function* lines(): Generator<string> {
    for (let id = 1; id <= size; id += 1) yield `${newPetJson(dataPet(id, size))}\n`
  }
  await pipeline(lines, createWriteStream(path))
}
