import { createMemoryPets } from '@pet-store/domain/memory'
import { petRepositoryContract } from '@pet-store/persistence-testing'
import { it } from 'vitest'

for (const { name, run } of petRepositoryContract) {
  it(`createMemoryPets ${name}`, () => run(createMemoryPets()))
}
