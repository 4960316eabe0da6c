import type { ApiKeyRepository } from '@pet-store/access'
import { changingCases } from './api-key-cases/changing.ts'
import { comparingCases } from './api-key-cases/comparing.ts'
import { endingCases } from './api-key-cases/ending.ts'
import { keyListingCases } from './api-key-cases/listing.ts'
import { replacingCases } from './api-key-cases/replacing.ts'
import { storingCases } from './api-key-cases/storing.ts'
import type { ContractCase } from './case/contract-case.ts'

/** The contract of `ApiKeyRepository`: an adapter that passes all cases fulfils it. */
export const apiKeyRepositoryContract: readonly ContractCase<ApiKeyRepository>[] = [
  ...storingCases,
  ...comparingCases,
  ...keyListingCases,
  ...endingCases,
  ...changingCases,
  ...replacingCases,
]
