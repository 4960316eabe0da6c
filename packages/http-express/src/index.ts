// The app, and a server for it
export { createPetApp } from './app/create-pet-app.ts'
export type { HttpApp, PetAppOptions } from './app/create-pet-app.ts'
export type { TrustProxy } from './middleware/open-request.ts'
export { createPetServer } from './server/create-pet-server.ts'
export type { PetServer, PetServerOptions } from './server/create-pet-server.ts'

// For operators
export { DECLARED_ROUTES } from './pets/operations.ts'

// What the app needs from outside
export type { RateLimiting, TokenCheck } from './middleware/require-key.ts'
export type { HttpLog, RequestEntry } from './middleware/open-request.ts'
export type { Checks, ReadinessCheck } from './routes/health-routes.ts'

// What clients of the service can see
export { ERROR_STATUS } from './http/http-error.ts'
export type { ErrorBody, ErrorCode } from './http/http-error.ts'
export { openApiJson } from './routes/description-route.ts'
export { writeCursor } from './pets/list-pets-query.ts'

// Its JSON, for other parsers of pets
export { parseExactJson } from './http/exact-json.ts'
