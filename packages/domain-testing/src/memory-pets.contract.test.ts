import { createMemoryPets } from '@pet-store/domain/memory'
import { describe, it } from 'vitest'
import { petRepositoryContract } from './pet-repository-contract.ts'

describe('createMemoryPets keeps the PetRepository promises:', () => {
  for (const { name, run } of petRepositoryContract) {
    it(name, () => run(createMemoryPets()))
  }
})
