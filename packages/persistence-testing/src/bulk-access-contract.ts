import type { BulkAccess } from '@pet-store/persistence'
import { bulkKeyCases } from './bulk-cases/keys.ts'
import { bulkPetCases } from './bulk-cases/pets.ts'
import type { ContractCase } from './case/contract-case.ts'

/**
 * The contract of `BulkAccess` by itself. What it has in common with an open adapter is in
 * `persistence-cases/`.
 */
export const bulkAccessContract: readonly ContractCase<BulkAccess>[] = [
  ...bulkPetCases,
  ...bulkKeyCases,
]
