/** A pet of the data set, under the names of the wire. A status that is `null` is left out of answers. */
export interface DataPet {
  readonly id: number
  readonly name: string
  readonly categoryId: number
  readonly status: 'available' | 'pending' | 'sold' | null
}

const NAMES = [
  'Rex',
  'Bella "the second"',
  'Żółw',
  'Mašenka',
  '金魚',
  'Löwe 🦁',
  "O'Malley",
  'Tiger Lily of the Valley',
]
const STATUSES = ['available', 'pending', 'available', null] as const

/** How many pets have the rare status: those at the very end, which is the worst place to look for them. */
export const RARE = 10
export const RARE_STATUS = 'sold'

/** The pet with this id in a data set of so many. The same on every run and for every contestant. */
export function dataPet(id: number, size: number): DataPet {
  return {
    id,
    name: `${NAMES[id % NAMES.length]} ${id}`,
    categoryId: (id * 1_000_003) % 9_007_199_254_740,
    status: id > size - RARE ? RARE_STATUS : (STATUSES[id % STATUSES.length] ?? null),
  }
}

/** Pets in ascending order behind an id; how every list must look. */
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

/** A list of pets as every contestant must write it. */
export function petsJson(pets: readonly DataPet[]): string {
  return `[${pets.map(petJson).join(',')}]`
}
