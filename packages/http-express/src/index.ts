// The app, and a server for it
export { createPetApp, type HttpApp, type PetAppOptions } from './app/create-pet-app.ts'
export {
  createPetServer,
  type PetServer,
  type PetServerOptions,
} from './server/create-pet-server.ts'

// For operators
export { sentAtMs } from './http/response.ts'
export { DECLARED_ROUTES } from './pets/operations.ts'

// What the app needs from outside
export type { RateLimiting, TokenCheck } from './middleware/require-key.ts'
export type { HttpLog, RequestEntry, TrustProxy } from './middleware/open-request.ts'
export type { Checks, ReadinessCheck } from './routes/health-routes.ts'

// What clients of the service can see
export { ERROR_STATUS, type ErrorBody, type ErrorCode } from './http/http-error.ts'
export { openApiJson } from './routes/description-route.ts'
export { writeCursor } from './pets/list-pets-query.ts'

// Its JSON, for other parsers of pets
export { parseExactJson } from './http/exact-json.ts'
