// What a key is
export { createApiKeyText, hashApiKey, isApiKeyText } from './api-key-text.ts'
export { apiKeyState, SCOPES } from './api-key.ts'
export type { ApiKey, ApiKeyState, NewApiKey, Scope, VerifiedKey } from './api-key.ts'

// Operations
export { createApiKeyUseCases } from './api-key-use-cases.ts'
export type { ApiKeyUseCases } from './api-key-use-cases.ts'
export { createApiKey } from './create-api-key.ts'
export type { ApiKeyInput, ApiKeyUseCaseOptions, IssuedApiKey } from './create-api-key.ts'

// Checking, on every request
export { createKeyCheck } from './key-check.ts'
export type { KeyCheck, KeyCheckOptions, KeyCheckResult } from './key-check.ts'
export { createStaticKeys } from './static-keys.ts'
export type { StaticKey } from './static-keys.ts'
export { createMemoryRateLimiter } from './memory-rate-limiter.ts'
export { allowanceOf } from './rate-limiter.ts'

// What this needs from outside
export type { ApiKeyRepository, KeyUse } from './api-key-repository.ts'
export type { Allowance, CreateRateLimiter, RateLimit, RateLimiter } from './rate-limiter.ts'

// What can go wrong
export { AccessError } from './access-error.ts'
export type { AccessErrorCode } from './access-error.ts'
