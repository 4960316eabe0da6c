import type { RequestListener } from 'node:http'
import type { PetRepository } from '@pet-store/domain'
import type { PetAppOptions } from '@pet-store/http-express'

/** Measures parts of the program: each function returns its part, or one of the same type that is measured. */
export interface Instrumentation {
  repository(pets: PetRepository): PetRepository
  /** What the app is given: its use cases, key check, rate limiter and log. */
  app(options: PetAppOptions): PetAppOptions
  /** The app itself. */
  listener(app: RequestListener): RequestListener
}
