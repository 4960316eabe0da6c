// A command line tool on the rules of the pet store, without its service: checks a list of pets and
// counts them. Run it with: node --conditions=@pet-store/source examples/stock-taking.ts < pets.csv
// A line is `name,category` or `name,category,status`. Exit code: 0, or 1 if a line is invalid.
import { createInterface } from 'node:readline'
import {
  allPets,
  createPetUseCases,
  isPetError,
  PET_STATUSES,
  type PetInput,
  type PetStatus,
} from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'

const { createPet, listPets } = createPetUseCases(createMemoryPets())

let lineNumber = 0
for await (const line of createInterface({ input: process.stdin })) {
  lineNumber += 1
  if (line === '') continue
  try {
    await createPet(inputOf(line))
  } catch (error) {
    // Anything else is an internal error.
    if (!isPetError(error)) throw error
    console.error(`Line ${lineNumber}: ${error.message}`)
    process.exitCode = 1
  }
}

for (const status of PET_STATUSES) {
  const categories = new Map<bigint, number>()
  for await (const { categoryId } of allPets(listPets, { status })) {
    categories.set(categoryId, (categories.get(categoryId) ?? 0) + 1)
  }
  for (const [category, count] of categories)
    console.log(`${status}, category ${category}: ${count}`)
}

let total = 0
for await (const _pet of allPets(listPets)) total += 1
console.log(`total: ${total}`)

/**
 * The fields as they are; `createPet` checks them. An empty category stays text: `BigInt` would
 * make 0 of it.
 */
function inputOf(line: string): PetInput {
  const [name = '', text = '', status] = line.split(',')
  const categoryId = (/^-?\d+$/.test(text) ? BigInt(text) : text) as bigint
  return { name, categoryId, status: status as PetStatus | undefined }
}
