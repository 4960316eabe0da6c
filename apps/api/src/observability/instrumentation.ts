import type { RequestListener } from 'node:http'
import type { PetRepository } from '@pet-store/domain'
import type { PetAppOptions } from '@pet-store/http-express'
import type { PersistenceOptions } from '@pet-store/persistence'

/** Measures parts of the program: each function returns its part, or one of the same type that is measured. */
export interface Instrumentation {
  /** What persistence reports. */
  persistence(reports: PersistenceReports): PersistenceReports
  repository(pets: PetRepository): PetRepository
  /** What the app is given: its use cases, key check, rate limiter and log. */
  app(options: PetAppOptions): PetAppOptions
  /** The app itself. */
  listener(app: RequestListener): RequestListener
}

type PersistenceReports = Pick<PersistenceOptions, 'onBackgroundFailure' | 'onStatement'>
