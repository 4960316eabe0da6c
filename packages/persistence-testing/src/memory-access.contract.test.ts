import { createMemoryRateLimiter } from '@pet-store/access'
import { createMemoryApiKeys } from '@pet-store/access/memory'
import { apiKeyRepositoryContract, rateLimiterContract } from '@pet-store/persistence-testing'
import { describe, it } from 'vitest'

describe('createMemoryApiKeys', () => {
  for (const { name, run } of apiKeyRepositoryContract) {
    it(name, () => run(createMemoryApiKeys()))
  }
})

describe('createMemoryRateLimiter', () => {
  for (const { name, run } of rateLimiterContract) {
    it(name, () => run(createMemoryRateLimiter))
  }
})
