import { describe, expect, it } from 'vitest'
import { SCOPES } from './api-key.ts'
import { createApiKeyText, hashApiKey } from './api-key-text.ts'
import { createStaticKeys } from './static-keys.ts'

describe('static keys', () => {
  const [first, second] = [createApiKeyText(), createApiKeyText()]
  const check = createStaticKeys([
    { keyId: 'first', sha256: hashApiKey(first) },
    { keyId: 'second', sha256: hashApiKey(second), scopes: ['pets:read'] },
  ])

  it('are known by their public id, with what they may do', () => {
    expect(check(first)).toEqual({ keyId: 'first', scopes: SCOPES })
    expect(check(second)).toEqual({ keyId: 'second', scopes: ['pets:read'] })
  })

  it.each([
    ['an unknown key', createApiKeyText()],
    ['a hash', hashApiKey(first)],
    ['a key with a space', `${first} `],
    ['a key in another case', first.toLowerCase()],
    ['nothing', ''],
    ['a public id', 'first'],
    ['a name of an object', '__proto__'],
  ])('do not include %s', (_name, text) => {
    expect(check(text)).toBeUndefined()
  })

  it('must have the form of a key, even when the hash of another text is listed', () => {
    expect(createStaticKeys([{ keyId: 'weak', sha256: hashApiKey('password') }])('password')).toBeUndefined()
  })

  it('may be none', () => {
    expect(createStaticKeys([])(first)).toBeUndefined()
  })

  it('tell nothing about the hash', () => {
    expect(JSON.stringify(check(first))).toBe('{"keyId":"first","scopes":["pets:read","pets:write"]}')
  })
})
