// A kiosk in the shop: registers a pet that was brought in, and shows the pets that are available.
// Its functions run in browsers too. kiosk-contract.ts writes down what it relies on. Run it with:
// PET_STORE_URL=… PET_STORE_KEY=… node --conditions=@pet-store/source examples/kiosk.ts Rex 7
import { createPetStoreClient, type PetStoreClient, PetStoreError } from '@pet-store/client'

/** A line for each available pet, in the order of their ids. */
export async function offers(client: PetStoreClient): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const { id, name, categoryId } of client.allPets({
    status: 'available',
    pageSize: 2,
  })) {
    lines.push(`${id}: ${name} (category ${categoryId})`)
  }
  return lines
}

/** A line for each pet of the first page whose status is to be set. */
export async function withoutStatus(client: PetStoreClient): Promise<readonly string[]> {
  const { pets } = await client.listPets()
  return pets.filter(({ status }) => status === undefined).map(({ id, name }) => `${id}: ${name}`)
}

/**
 * Registers a pet and returns a line for the screen. With the same receipt it is registered only
 * once.
 */
export async function register(
  client: PetStoreClient,
  name: string,
  categoryId: bigint,
  receipt: string,
): Promise<string> {
  try {
    const pet = await client.createPet(
      { name, categoryId, status: 'available' },
      { idempotencyKey: receipt },
    )
    return `Registered ${pet.name} as pet ${pet.id}.`
  } catch (error) {
    if (!(error instanceof PetStoreError)) throw error
    if (error.code === 'invalid_request') return `Not registered: ${error.message}`
    if (error.code === 'unauthorized') return 'This kiosk has no valid key.'
    throw error
  }
}

if (process.argv[1] === import.meta.filename) {
  const [name = '', category = '1'] = process.argv.slice(2)
  const client = createPetStoreClient({
    baseUrl: process.env['PET_STORE_URL'] ?? 'http://127.0.0.1:3000/v1',
    apiKey: process.env['PET_STORE_KEY'],
  })
  console.log(await register(client, name, BigInt(category), crypto.randomUUID()))
  for (const line of await offers(client)) console.log(line)
}
