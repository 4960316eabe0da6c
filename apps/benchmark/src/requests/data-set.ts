/** A pet of the data set, under the names of the wire. A status of `null` is left out of responses. */
export interface DataPet {
  readonly id: number
  readonly name: string
  readonly categoryId: number
  readonly status: 'available' | 'pending' | 'sold' | null
}

const ASCII_NAMES = ['Rex', 'Bella "the second"', "O'Malley", 'Tiger Lily of the Valley']
const OTHER_NAMES = ['Żółw', 'Mašenka', '金魚', 'Löwe 🦁']

/** The first part of the pets has ASCII names and the status `available`, the others have neither. */
const ASCII_PART = 0.8

/** Few, so that PostgreSQL finds them by their index instead of passing all pets before them. */
const PENDING = 150

/** The statuses that select names of one kind, and the one of the last few pets, which is the slowest to find. */
export const ASCII_STATUS = 'available'
export const OTHER_STATUS = 'pending'
export const RARE_STATUS = 'sold'
const RARE = 10

/** The pet with this id in a data set of a size; the same on every run and for every contestant. */
export function dataPet(id: number, size: number): DataPet {
  const beyondAscii = id - Math.floor(size * ASCII_PART)
  const isAscii = beyondAscii <= 0
  const names = isAscii ? ASCII_NAMES : OTHER_NAMES
  const hasStatus = id % 2 > 0 && beyondAscii <= PENDING * 2
  const status = hasStatus ? (isAscii ? ASCII_STATUS : OTHER_STATUS) : null
  return {
    id,
    name: `${names[id % names.length]} ${id}`,
    categoryId: (id * 1_000_003) % 9_007_199_254_740,
    status: id > size - RARE ? RARE_STATUS : status,
  }
}

/** Pets by ascending id after an id: what a list must contain. */
export function dataPage(size: number, limit: number, { after = 0, status }: { after?: number; status?: string } = {}) {
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

export function petsJson(pets: readonly DataPet[]): string {
  return `[${pets.map(petJson).join(',')}]`
}

/** The request body that adds a pet. */
export function newPetJson({ name, categoryId, status }: Omit<DataPet, 'id'>): string {
  return JSON.stringify({ name, categoryId, ...(status !== null && { status }) })
}
