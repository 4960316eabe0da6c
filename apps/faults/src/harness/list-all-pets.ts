import { RawConnection, requestBytes, type WireResponse } from '@pet-store/testing'
import type { StoredPet } from './ledger.ts'
import { nextPathOf } from './next-path.ts'
import type { Service } from './service.ts'

/** Lists every pet, page by page, by the links. Throws if a page cannot be read. */
export async function listAllPets(
  service: Service,
  first = '/v1/pets?limit=100',
): Promise<readonly StoredPet[]> {
  const pets: StoredPet[] = []
  let path: string | undefined = first
  const connection = await RawConnection.open(service.port)
  while (path !== undefined) {
    const response: WireResponse = await connection
      .write(requestBytes({ path, key: service.key }))
      .response()
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${response.text}`)
    pets.push(...petsIn(response.text))
    path = nextPathOf(response, path)
  }
  connection.socket.destroy()
  return pets
}

/** The pets of a page, with the digits of their ids. */
function petsIn(json: string): readonly StoredPet[] {
  const pets = JSON.parse(json.replaceAll(/"id":(-?[0-9]+)/g, '"id":"$1"')) as StoredPet[]
  return pets.map(({ id, name }) => ({ id, name }))
}
