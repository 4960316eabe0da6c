import type { RateLimiter } from '@pet-store/access'
import type { PetRepository, PetUseCases } from '@pet-store/domain'
import type { HttpLog, TokenCheck } from '@pet-store/http-express'

/** Looks over the shoulders of the program's parts: each function gives back its part, or one like it that is watched. */
export interface Observer {
  log(log: HttpLog): HttpLog
  tokenCheck(check: TokenCheck): TokenCheck
  rateLimiter(limiter: RateLimiter): RateLimiter
  useCases(pets: PetUseCases): PetUseCases
  repository(pets: PetRepository): PetRepository
  /** Told of each request without a key, which no check sees. */
  missingKey(): void
}

/** Looks at nothing, and costs nothing. */
export const noObserver: Observer = {
  log: (log) => log,
  tokenCheck: (check) => check,
  rateLimiter: (limiter) => limiter,
  useCases: (pets) => pets,
  repository: (pets) => pets,
  missingKey() {},
}
