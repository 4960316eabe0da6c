import { BULK_ACCESS_FUNCTIONS, type BulkAccess } from '@pet-store/persistence'
import { apiKeyOf, importOf, keyOf } from '../bulk-cases/items.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { type Call, callOf } from './every-call.ts'

type BulkCalls = Readonly<
  Record<
    Exclude<keyof BulkAccess, 'close'>,
    { readonly isRead: boolean; readonly call: (bulk: BulkAccess, id: bigint) => Promise<unknown> }
  >
>

const read = (call: (bulk: BulkAccess, id: bigint) => Promise<unknown>) => ({ isRead: true, call })
const write = (call: (bulk: BulkAccess, id: bigint) => Promise<unknown>) => ({
  isRead: false,
  call,
})

/** The compiler asks for every function. */
const CALLS: BulkCalls = {
  countPets: read((bulk) => bulk.countPets()),
  readPets: read((bulk) => bulk.readPets({ limit: 1 })),
  writePets: write((bulk, id) => bulk.writePets([{ id, ...aNewPet() }])),
  addPets: write((bulk, id) => bulk.addPets([aNewPet()], { to: importOf({ id }) })),
  readPetImports: read((bulk) => bulk.readPetImports()),
  writePetImports: write((bulk, id) => bulk.writePetImports([importOf({ id: id + 50n })])),
  readIdempotencyKeys: read((bulk) => bulk.readIdempotencyKeys(1)),
  writeIdempotencyKeys: write((bulk, id) =>
    bulk.writeIdempotencyKeys([keyOf('shop', `${id}`, 1n)]),
  ),
  readApiKeys: read((bulk) => bulk.readApiKeys()),
  writeApiKeys: write((bulk, id) => bulk.writeApiKeys([apiKeyOf(`${id}`)])),
  lastPetId: read((bulk) => bulk.lastPetId()),
  movePetIdsPast: write((bulk, id) => bulk.movePetIdsPast(id)),
}

/**
 * One call of every function of bulk access, but for `close`, in a database that has a pet with the
 * id 1. `id` is greater than those of its pets; the one 50 above it is used too.
 */
export function everyBulkCall(bulk: BulkAccess, id: bigint): readonly Call[] {
  return BULK_ACCESS_FUNCTIONS.filter((name) => name !== 'close').map((name) => {
    const { isRead, call } = CALLS[name]
    return callOf(`bulk.${name}`, isRead, () => call(bulk, id))
  })
}
