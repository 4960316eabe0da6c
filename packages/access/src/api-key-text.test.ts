import { expect, it } from 'vitest'
import { createApiKeyText, isApiKeyText } from './api-key-text.ts'

const CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

it('a new key is pets_ and 49 letters and digits, different in every part', () => {
  const keys = Array.from({ length: 500 }, () => createApiKeyText())
  expect(new Set(keys).size).toBe(500)
  for (const key of keys)
    expect([key, isApiKeyText(key)]).toEqual([
      expect.stringMatching(/^pets_[0-9A-Za-z]{49}$/),
      true,
    ])
  // The first character of 43 stands for less than six bits, so it takes fewer values.
  for (let index = 6; index < 48; index += 1)
    expect(new Set(keys.map((key) => key[index])).size).toBeGreaterThan(40)
})

it('the checksum of a key detects every wrong character and two swapped ones', () => {
  const key = createApiKeyText()
  for (let index = 0; index < key.length; index += 1) {
    const others = [...CHARACTERS].map(
      (character) => key.slice(0, index) + character + key.slice(index + 1),
    )
    const swapped =
      key.slice(0, index) + key.charAt(index + 1) + key.charAt(index) + key.slice(index + 2)
    for (const changed of [...others, swapped])
      if (changed !== key) expect(isApiKeyText(changed), changed).toBe(false)
  }
})

it('the format never changes: keys that were issued earlier are still keys', () => {
  expect(isApiKeyText('pets_cLaV6Wt88PZSuFYeJSq40yl3pNjdALvaYMkGvn3pZER27ffmt')).toBe(true)
})

const key = createApiKeyText()
it.each([
  '',
  'pets_',
  key.slice(5),
  key.slice(0, -1),
  `${key}0`,
  ` ${key}`,
  `${key}\n`,
  key.toUpperCase(),
  key.replace('pets_', 'PETS_'),
  key.replace('pets_', 'cats_'),
  `${key.slice(0, 10)}-${key.slice(11)}`,
  `${key.slice(0, 10)}é${key.slice(11)}`,
  '0'.repeat(54),
  'pets_'.repeat(100_000),
])('isApiKeyText rejects %s', (text) => {
  expect(isApiKeyText(text)).toBe(false)
})
