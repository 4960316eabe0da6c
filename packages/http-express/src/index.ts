// The app, and a server for it
export { createPetApp } from './create-pet-app.ts'
export type { PetAppOptions } from './pet-app-options.ts'
export type { TrustProxy } from './client-address.ts'
export { createPetServer } from './create-pet-server.ts'
export type { ServerLimits } from './create-pet-server.ts'

// What only operators see
export { createMetricsApp } from './create-metrics-app.ts'
export type { MetricsText } from './create-metrics-app.ts'
export { DEPRECATED_ROUTES } from './operation-router.ts'

// What the app needs from outside
export type { Caller } from './caller.ts'
export type { TokenCheck } from './require-bearer.ts'
export type { RateLimiting } from './limit-rate.ts'
export type { HttpLog, RequestEntry } from './http-log.ts'
export type { Clock } from './deprecation.ts'
export type { Checks, ReadinessCheck } from './health-routes.ts'

// What callers of the service can meet
export { ERROR_STATUS } from './error-answer.ts'
export type { ErrorBody, ErrorCode } from './error-answer.ts'
export { OPENAPI_JSON } from './openapi.ts'
export { writeCursor } from './cursor.ts'

// Its JSON, for other readers of pets
export { parseExactJson } from './exact-json.ts'
