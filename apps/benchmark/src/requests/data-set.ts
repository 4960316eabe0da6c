/** A pet of the data set, under the names of the wire. A status of `null` is left out of responses. */
export interface DataPet {
  readonly id: number
  readonly name: string
  readonly categoryId: number
  readonly status: 'available' | 'pending' | 'sold' | null
}

const ASCII_NAMES = ['Rex', 'Bella "the second"', "O'Malley", 'Tiger Lily of the Valley']
const OTHER_NAMES = ['Żółw', 'Mašenka', '金魚', 'Löwe 🦁']

const CATEGORY_FACTOR = 1_000_003
const CATEGORIES = 9_007_199_254_740

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
    categoryId: (id * CATEGORY_FACTOR) % CATEGORIES,
    status: id > size - RARE ? RARE_STATUS : status,
  }
}

/** SQL of both databases that adds the pets with these ids, to a table that has all before them: hundreds of thousands a second. */
export function insertDataPets(first: number, last: number, size: number): string {
  const ascii = Math.floor(size * ASCII_PART)
  const nameOf = (names: readonly string[]) =>
    `case id % ${names.length} ${names.map((name, rest) => `when ${rest} then ${literal(name)}`).join(' ')} end`
  return `with recursive ids (id) as (
    select cast(${first} as bigint) union all select id + 1 from ids where id < ${last}
  )
  insert into pet (name, category_id, status)
  select
    case when id <= ${ascii} then ${nameOf(ASCII_NAMES)} else ${nameOf(OTHER_NAMES)} end || ' ' || id,
    (id * ${CATEGORY_FACTOR}) % ${CATEGORIES},
    case
      when id > ${size - RARE} then ${literal(RARE_STATUS)}
      when id % 2 > 0 and id <= ${ascii} then ${literal(ASCII_STATUS)}
      when id % 2 > 0 and id <= ${ascii + PENDING * 2} then ${literal(OTHER_STATUS)}
    end
  from ids`
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
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
