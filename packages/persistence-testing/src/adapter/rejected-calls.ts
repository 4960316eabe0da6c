import type { BulkAccess, Persistence } from '@pet-store/persistence'
import { apiKeyOf, importOf } from '../bulk-cases/items.ts'
import { aNewApiKey } from '../test-data/new-api-keys.ts'
import { anIdempotencyKey } from '../test-data/new-idempotency-keys.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { after } from '../test-data/times.ts'

type Calls = Readonly<Record<string, () => Promise<unknown>>>

/** Calls that must reject, after `everyCall` with the same label. */
export function rejectedCalls({ pets, apiKeys }: Persistence, label: string): Calls {
  const cancelled = { aborted: true }
  const used = anIdempotencyKey({ key: label, fingerprint: 'other' })
  const successor = aNewApiKey(`${label} successor`)
  const taken = aNewApiKey(`${label} new`)
  return {
    'pets.add of a cancelled call': () => pets.add(aNewPet(), cancelled),
    'pets.addWithKey of a cancelled call': () => pets.addWithKey(aNewPet(), used, cancelled),
    'pets.addWithKey of other content': () => pets.addWithKey(aNewPet(), used),
    ...(apiKeys !== undefined && {
      'apiKeys.add of a taken id': () => apiKeys.add(taken),
      'apiKeys.replace of an unknown id': () => apiKeys.replace('key_none', successor, after(10)),
      'apiKeys.replace by a taken id': () => apiKeys.replace(`key_${label} used`, taken, after(10)),
    }),
  }
}

/** The same after `everyBulkCall` with the same id. */
export function rejectedBulkCalls(bulk: BulkAccess, id: bigint): Calls {
  const { sha256 } = apiKeyOf(`${id}`)
  return {
    'bulk.writePets of a taken id': () => bulk.writePets([{ id, ...aNewPet() }]),
    'bulk.addPets of an import that was begun': () =>
      bulk.addPets([aNewPet()], { to: importOf({ id }) }),
    'bulk.writeApiKeys of a taken hash': () =>
      bulk.writeApiKeys([apiKeyOf(`${id} other`, { sha256 })]),
  }
}
