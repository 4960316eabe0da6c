import { createApiKeyUseCases, createKeyCheck } from '../index.ts'
import { createMemoryApiKeys } from '../memory-api-keys.ts'

const keys = createMemoryApiKeys()
const { check } = createKeyCheck({ keys, lifetimeMs: 5_000 })
const { issueApiKey, revokeApiKey } = createApiKeyUseCases(keys)

// Show the text to the person who will use it. Only its hash is stored.
const { text, key } = await issueApiKey({ name: 'kiosk', scopes: ['pets:read'] })

// On every request:
const address = () => '192.0.2.1'
console.info(await check(text, address)) // { keyId: 'key_…', scopes: ['pets:read'] }
console.info(await check('pets_guessed', address)) // undefined

// In effect within 5 seconds, in every process:
await revokeApiKey(key.id)
