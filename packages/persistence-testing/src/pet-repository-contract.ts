import type { PetRepository } from '@pet-store/domain'
import type { ContractCase } from './case/contract-case.ts'
import type { FunctionCalls } from './case/function-calls.ts'
import { addingCases } from './pet-cases/adding.ts'
import { keyComparingCases } from './pet-cases/comparing-keys.ts'
import { detachedCases } from './pet-cases/detached.ts'
import { fieldCases } from './pet-cases/fields.ts'
import { filteringCases } from './pet-cases/filtering.ts'
import { findingCases } from './pet-cases/finding.ts'
import { idempotencyCases } from './pet-cases/idempotency.ts'
import { keyLifetimeCases } from './pet-cases/key-lifetime.ts'
import { listingCases } from './pet-cases/listing.ts'
import { manyBytesCases } from './pet-cases/many-bytes.ts'
import { pagingCases } from './pet-cases/paging.ts'
import { underWayCases } from './pet-cases/under-way.ts'
import { anIdempotencyKey } from './test-data/new-idempotency-keys.ts'
import { aNewPet } from './test-data/new-pets.ts'

interface PortFunction extends FunctionCalls<PetRepository> {
  /** What the port states about it. */
  readonly cases: readonly ContractCase<PetRepository>[]
}

/** The compiler asks for every function. */
const FUNCTIONS: Readonly<Record<keyof PetRepository, PortFunction>> = {
  add: {
    isRead: false,
    calls: { add: (pets, label) => pets.add(aNewPet({ name: `${label} plain` })) },
    cases: [...fieldCases, ...addingCases, ...manyBytesCases],
  },
  addWithKey: {
    isRead: false,
    calls: {
      addWithKey: (pets, label) =>
        pets.addWithKey(
          aNewPet({ name: `${label} keyed` }),
          anIdempotencyKey({ key: label, fingerprint: label }),
        ),
    },
    cases: [...idempotencyCases, ...underWayCases, ...keyLifetimeCases, ...keyComparingCases],
  },
  find: {
    isRead: true,
    calls: { find: (pets) => pets.find(1n) },
    cases: findingCases,
  },
  list: {
    isRead: true,
    calls: {
      list: (pets) => pets.list({ limit: 1 }),
      'list with a status': (pets) => pets.list({ status: 'sold', limit: 1 }),
      'list with a position': (pets) => pets.list({ after: 1n, limit: 1 }),
      'list with both': (pets) => pets.list({ status: 'sold', after: 1n, limit: 1 }),
    },
    cases: [...listingCases, ...pagingCases, ...filteringCases],
  },
}

/** The contract of `PetRepository`: an adapter that passes all cases fulfils it. */
export const petRepositoryContract: readonly ContractCase<PetRepository>[] = [
  ...Object.values(FUNCTIONS).flatMap(({ cases }) => cases),
  ...detachedCases,
]

/** How each function is called, for the cases of a whole adapter. */
export const PET_CALLS: Readonly<Record<keyof PetRepository, FunctionCalls<PetRepository>>> =
  FUNCTIONS
