import { createApiKeyUseCases, createKeyCheck } from './index.ts'
import { createMemoryApiKeys } from './memory-api-keys.ts'

const keys = createMemoryApiKeys()
const { check, forget } = createKeyCheck({ keys, lifetime: 5_000 })
const { issueApiKey, revokeApiKey } = createApiKeyUseCases(keys, { onRevoke: forget })

// Once: show the text to whoever will use it. Only its hash is kept.
const { text, key } = await issueApiKey({ name: 'kiosk', scopes: ['pets:read'] })

// On every request:
const address = () => '192.0.2.1'
console.info(await check(text, address)) // { keyId: 'key_…', scopes: ['pets:read'] }
console.info(await check('pets_guessed', address)) // undefined

await revokeApiKey(key.id)
console.info(await check(text, address)) // undefined
