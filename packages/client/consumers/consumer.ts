// Somebody else's program, compiled against the published declarations.
import { createPetStoreClient, type NewPet, type Pet, PetStoreError } from '@pet-store/client'

const client = createPetStoreClient({
  baseUrl: new URL('https://pets.example/v1'),
  apiKey: 'a-key',
  fetch,
})

export async function adoptAll(signal: AbortSignal): Promise<bigint[]> {
  const rex: NewPet = { name: 'Rex', categoryId: 2n ** 63n - 1n, status: 'sold' }
  const added: Pet = await client.createPet(rex, { signal, idempotencyKey: 'rex' })
  const ids = [added.id]
  try {
    for await (const pet of client.allPets({ status: 'available', pageSize: 50 }, { signal }))
      ids.push(pet.id)
    const page = await client.listPets({ limit: 5 })
    if (page.next !== undefined) await client.listPets(page.next)
  } catch (error) {
    if (error instanceof PetStoreError && error.code === 'rate_limited') return ids
    throw error
  }
  return ids
}
