import type { PetRepository } from '@pet-store/domain'
import type { ContractCase } from './contract-case.ts'
import { addingCases } from './pet-cases/adding.ts'
import { keyComparingCases } from './pet-cases/comparing-keys.ts'
import { detachedCases } from './pet-cases/detached.ts'
import { fieldCases } from './pet-cases/fields.ts'
import { filteringCases } from './pet-cases/filtering.ts'
import { findingCases } from './pet-cases/finding.ts'
import { idempotencyCases } from './pet-cases/idempotency.ts'
import { listingCases } from './pet-cases/listing.ts'
import { pagingCases } from './pet-cases/paging.ts'

/** The contract of `PetRepository`: an adapter that passes all cases fulfils it. */
export const petRepositoryContract: readonly ContractCase<PetRepository>[] = [
  ...fieldCases,
  ...addingCases,
  ...idempotencyCases,
  ...keyComparingCases,
  ...findingCases,
  ...listingCases,
  ...pagingCases,
  ...filteringCases,
  ...detachedCases,
]
