import type { PetUseCases } from '@pet-store/domain'
import type { TrustProxy } from './client-address.ts'
import type { Clock } from './deprecation.ts'
import type { ReadinessCheck } from './health-routes.ts'
import type { HttpLog } from './http-log.ts'
import type { RateLimiting } from './limit-rate.ts'
import type { TokenCheck } from './require-bearer.ts'

/** What the app needs from outside. */
export interface PetAppOptions {
  readonly pets: PetUseCases
  readonly tokenCheck: TokenCheck
  /** Told of each request without a key, which `tokenCheck` never sees. */
  readonly onMissingKey?: () => void
  /** How often each key may be used; without it, as often as it likes. */
  readonly rateLimiting?: RateLimiting
  readonly now: Clock
  readonly log: HttpLog
  readonly readiness: ReadinessCheck
  /** A key that the reference page uses unasked: only for a service that this machine alone can reach. */
  readonly developmentKey?: string | undefined
  /** The address that clients know the service by, without `/v1` or a slash at its end; makes references absolute. */
  readonly publicUrl?: string | undefined
  /** Origins whose web pages may call the service, or `*`; none unless said. */
  readonly corsOrigins?: readonly string[]
  /** The proxies that are believed about the client's address: their number, or their addresses. None unless said. */
  readonly trustProxy?: TrustProxy
  /** Without it Express routes every request, for whoever watches Express: OpenTelemetry's routes, for instance. */
  readonly hasFastPath?: boolean
}
