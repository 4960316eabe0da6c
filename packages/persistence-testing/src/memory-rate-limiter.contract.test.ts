import { createMemoryRateLimiter } from '@pet-store/access'
import { rateLimiterContract } from '@pet-store/persistence-testing'
import { it } from 'vitest'

for (const { name, run } of rateLimiterContract) {
  it(`createMemoryRateLimiter ${name}`, () => run(createMemoryRateLimiter))
}
