// A program that reuses the rules of the pet store without HTTP and without a database.
// Run it with: node --conditions=@pet-store/source examples/reuse-the-domain.ts
import { allPets, createPetUseCases, isPetError } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'

const { createPet, listPets } = createPetUseCases(createMemoryPets())

for (const name of ['Rex', '   ', 'Mia']) {
  try {
    const { pet } = await createPet({ name, categoryId: 7n, status: 'available' })
    console.log(`Added ${pet.name} as pet ${pet.id}.`)
  } catch (error) {
    // Anything else is an internal error of the program or of its repository.
    if (!isPetError(error)) throw error
    console.log(`Rejected (${error.code}): ${error.message}.`)
  }
}

console.log('First page:', await listPets({ status: 'available', limit: 1 }))

for await (const pet of allPets(listPets, { status: 'available' }))
  console.log(`${pet.id} ${pet.name}`)
