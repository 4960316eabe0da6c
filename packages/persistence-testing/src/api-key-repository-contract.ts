import type { ApiKeyRepository } from '@pet-store/access'
import { endingCases } from './api-key-cases/ending.ts'
import { replacingCases } from './api-key-cases/replacing.ts'
import { storingCases } from './api-key-cases/storing.ts'
import type { ContractCase } from './contract-case.ts'

/** Every promise of `ApiKeyRepository`. An adapter that passes all cases keeps them. */
export const apiKeyRepositoryContract: readonly ContractCase<ApiKeyRepository>[] = [
  ...storingCases,
  ...endingCases,
  ...replacingCases,
]
