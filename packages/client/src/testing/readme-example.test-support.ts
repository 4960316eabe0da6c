import { createPetStoreClient, PetStoreError } from '../index.ts'

const client = createPetStoreClient({
  baseUrl: process.env['PET_STORE_URL'] ?? 'http://127.0.0.1:3000/v1',
  apiKey: process.env['PET_STORE_KEY'],
})

try {
  const rex = await client.createPet({ name: 'Rex', categoryId: 9223372036854775807n, status: 'available' })
  console.info(`Added ${rex.name} as pet ${rex.id} in category ${rex.categoryId}.`)

  const { pets, next } = await client.listPets({ status: 'available', limit: 1 })
  console.info(`The first page has ${pets.length}. Another page:`, next !== undefined)

  for await (const pet of client.allPets()) console.info(pet.name, pet.status ?? 'no status')

  await client.createPet({ name: '', categoryId: 1 })
} catch (error) {
  if (!(error instanceof PetStoreError)) throw error
  console.info(`${error.code}: ${error.message}`)
}
