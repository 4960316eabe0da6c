import { createMemoryPets } from '@pet-store/domain/memory'
import { petRepositoryContract } from '@pet-store/persistence-testing'
import { describe, it } from 'vitest'

describe('createMemoryPets', () => {
  for (const { name, run } of petRepositoryContract) {
    it(name, () => run(createMemoryPets()))
  }
})
