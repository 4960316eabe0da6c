import { expect, it } from 'vitest'
import { SCOPES } from './api-key.ts'
import { createApiKeyText, hashApiKey } from './api-key-text.ts'
import { createStaticKeys } from './static-keys.ts'

const first = createApiKeyText()
const second = createApiKeyText()
const check = createStaticKeys([
  { keyId: 'first', sha256: hashApiKey(first) },
  { keyId: 'second', sha256: hashApiKey(second), scopes: ['pets:read'] },
  { keyId: 'old', sha256: hashApiKey('secret-of-another-system') },
])

it('a static key of any format is verified with its name and scopes', () => {
  expect(check(first)).toEqual({ keyId: 'first', scopes: SCOPES })
  expect(check(second)).toEqual({ keyId: 'second', scopes: ['pets:read'] })
  expect(check('secret-of-another-system')).toEqual({ keyId: 'old', scopes: SCOPES })
})

it('the hash of a key is SHA-256 in lower-case hexadecimal digits', () => {
  expect(hashApiKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

it.each([
  ['an unknown key', createApiKeyText()],
  ['a hash', hashApiKey(first)],
  ['a key with a space', `${first} `],
  ['a key in another case', first.toLowerCase()],
  ['an empty text', ''],
  ['a public id', 'first'],
  ['a name of an object', '__proto__'],
])('createStaticKeys does not verify %s', (_name, text) => {
  expect(check(text)).toBeUndefined()
})

it('createStaticKeys rejects two keys with the same name or the same hash', () => {
  const sameName = [first, second].map((text) => ({ keyId: 'shop', sha256: hashApiKey(text) }))
  expect(() => createStaticKeys(sameName)).toThrow('Two keys are named shop.')
  const sameHash = ['shop', 'kiosk'].map((keyId) => ({ keyId, sha256: hashApiKey(first) }))
  expect(() => createStaticKeys(sameHash)).toThrow('The keys shop and kiosk have the same hash.')
})
