import { createApiKeyText, createStaticKeys, hashApiKey } from './index.ts'

// Once: show the key to whoever will use it, and keep nothing but its hash.
const key = createApiKeyText()
const settings = [{ keyId: 'kiosk', sha256: hashApiKey(key) }]

// On every request:
const check = createStaticKeys(settings)

console.info(check(key)) // { keyId: 'kiosk' }
console.info(check('pets_guessed')) // undefined
