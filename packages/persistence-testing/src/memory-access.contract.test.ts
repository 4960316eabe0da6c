import { createMemoryRateLimiter } from '@pet-store/access'
import { createMemoryApiKeys } from '@pet-store/access/memory'
import { apiKeyRepositoryContract, rateLimiterContract } from '@pet-store/persistence-testing'
import { it } from 'vitest'

for (const { name, run } of apiKeyRepositoryContract) {
  it(`createMemoryApiKeys ${name}`, () => run(createMemoryApiKeys()))
}

for (const { name, run } of rateLimiterContract) {
  it(`createMemoryRateLimiter ${name}`, () => run(createMemoryRateLimiter))
}
