import type { RequestListener, Server } from 'node:http'
import type { PetRepository } from '@pet-store/domain'
import type { PetAppOptions } from '@pet-store/http-express'
import type { PersistenceOptions } from '@pet-store/persistence'

/**
 * What operators see of the program besides its log. Each function returns its part, or one of the
 * same type that is measured.
 */
export interface Observability {
  /** What persistence reports. */
  persistence(reports: PersistenceReports): PersistenceReports
  repository(pets: PetRepository): PetRepository
  /** What the app is given: its use cases, key check, rate limiter and log. */
  app(options: PetAppOptions): PetAppOptions
  /** The app itself. */
  listener(app: RequestListener): RequestListener
  /** Serves the metrics once it listens; there only if the settings ask for it. */
  readonly metricsServer: Server | undefined
  /** Sends what is left and releases everything. The program must have finished its work. */
  close(): Promise<void>
}

type PersistenceReports = Pick<PersistenceOptions, 'onBackgroundFailure' | 'onStatement'>
