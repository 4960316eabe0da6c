import type { CreateRateLimiter } from '@pet-store/access'
import type { ContractCase } from './case/contract-case.ts'
import { besideOthersCases } from './rate-limiter-cases/beside-others.ts'
import { countingCases } from './rate-limiter-cases/counting.ts'
import { perKeyCases } from './rate-limiter-cases/per-key.ts'
import { windowCases } from './rate-limiter-cases/windows.ts'

/** The contract of `RateLimiter`: an adapter that passes all cases fulfils it. */
export const rateLimiterContract: readonly ContractCase<CreateRateLimiter>[] = [
  ...countingCases,
  ...perKeyCases,
  ...besideOthersCases,
  ...windowCases,
]
