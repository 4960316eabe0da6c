// What a key is
export { createApiKeyText, hashApiKey, isApiKeyText } from './api-key-text.ts'

// Keys that are given with the settings
export { createStaticKeys } from './static-keys.ts'
export type { KnownKey, StaticKey } from './static-keys.ts'
