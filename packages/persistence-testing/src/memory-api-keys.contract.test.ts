import { createMemoryApiKeys } from '@pet-store/access/memory'
import { apiKeyRepositoryContract } from '@pet-store/persistence-testing'
import { it } from 'vitest'

for (const { name, run } of apiKeyRepositoryContract) {
  it(`createMemoryApiKeys ${name}`, () => run(createMemoryApiKeys()))
}
