// A program of another team: the rules of the pet store without HTTP and without a database.
// Run it with: node --conditions=@pet-store/source examples/reuse-the-domain.ts
import { createPetUseCases, isPetError } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'

const { createPet, listPets } = createPetUseCases(createMemoryPets())

for (const name of ['Rex', '   ', 'Mia']) {
  try {
    const { pet } = await createPet({ name, categoryId: 7n, status: 'available' })
    console.log(`Added ${pet.name} as pet ${pet.id}.`)
  } catch (error) {
    // Anything else is a fault of the program or of its storage.
    if (!isPetError(error)) throw error
    console.log(`Refused (${error.code}): ${error.message}.`)
  }
}

let page = await listPets({ status: 'available', limit: 1 })
console.log('First page:', page.pets)
while (page.next !== undefined) {
  page = await listPets({ status: 'available', limit: 1, after: page.next })
  console.log('Next page:', page.pets)
}
