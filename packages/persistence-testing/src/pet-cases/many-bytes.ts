import { PET_NAME, type PetRepository } from '@pet-store/domain'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { inGroups } from '../case/in-groups.ts'
import { addKeyed, aNewPet } from '../new-pets.ts'

/** Their names and fingerprints take more than the 16 MiB that wait at most in some adapters. */
const PETS = 2_200
const AT_ONCE = 50
const NAME = '🐕'.repeat(PET_NAME.maxCodePoints - 10)
/** An adapter may wait for the disk after each of them. */
const TIME_LIMIT_MS = 120_000

/** A limit of what waits counts what waits, and not all that was ever given. */
export const manyBytesCases: readonly ContractCase<PetRepository>[] = casesOf(
  { group: 'pet.add', timeLimitMs: TIME_LIMIT_MS },
  {
    'megabytes: goes on after pets of more megabytes than may wait at a time': async (pets) => {
      const add = (index: number) => addKeyed(pets, aNewPet({ name: `${index} ${NAME}` }))
      const last = (await inGroups(PETS, add, AT_ONCE)).at(-1)
      expectEqual(await pets.find(last?.id ?? 0n), last, 'the last of many pets with long names')
    },
  },
)
