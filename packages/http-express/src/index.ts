// The app, and a server for it
export { createPetApp, type HttpApp, type PetAppOptions } from './create-pet-app.ts'
export type { RequestQueue } from './checks/slots.ts'
export {
  createPetServer,
  type PetServer,
  type PetServerOptions,
} from './server/create-pet-server.ts'

// For operators
export { contextOf, type RequestContext } from './response/context.ts'
export { onceLeft } from './response/response-left.ts'
export { DECLARED_ROUTES } from './operations/operations.ts'
export { isLoopback } from './routes/loopback.ts'

// What the app needs from outside
export type { TokenCheck } from './checks/api-key.ts'
export type { TrustProxy } from './request/client-address.ts'
export type { HttpLog, RequestEntry } from './request/http-log.ts'
export type { RateLimiting } from './checks/rate-limit.ts'
export type { Pages } from './routes/page-routes.ts'
export type { Checks, ReadinessCheck } from './routes/health-routes.ts'

// What clients of the service can see
export { ERROR_STATUS, type ErrorBody, type ErrorCode } from './response/http-error.ts'
export { openApiJson } from './routes/description-route.ts'
export { writeCursor } from './wire/cursor.ts'

// Its JSON, for other parsers of pets
export { parseExactFields } from './wire/exact-json.ts'
export { rawJSON } from './wire/raw-json.ts'
