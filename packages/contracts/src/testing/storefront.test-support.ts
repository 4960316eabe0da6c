import type { Pet, PetStoreClient } from '@pet-store/client'

/** A pet for sale. */
export interface Offer {
  readonly id: bigint
  readonly title: string
}

/** What a small storefront needs of the service: every available pet, two per page. */
export async function offersOf(client: PetStoreClient): Promise<Offer[]> {
  const offers: Offer[] = []
  for await (const pet of client.allPets({ status: 'available', pageSize: 2 })) offers.push(offerOf(pet))
  return offers
}

function offerOf({ id, name }: Pet): Offer {
  return { id, title: name }
}
