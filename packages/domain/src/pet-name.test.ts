import { expect, it } from 'vitest'
import { type PetInput, validateNewPet } from './pet.ts'
import { PET_NAME, validateName } from './pet-name.ts'

const REX: PetInput = { name: 'Rex', categoryId: 1n }

function petInvalid(message: string): object {
  return expect.objectContaining({ name: 'PetError', code: 'pet_invalid', message })
}

const blank = petInvalid('name must have a character that is not white space')
const unstorable = petInvalid('name must not contain NUL or a lone surrogate')
const tooLong = petInvalid('name must have at most 1000 characters')

it.each([undefined, null, 7, 7n, true, ['Rex'], {}, Symbol('Rex')])(
  'validateName rejects %o, which is not a string',
  (name) => {
    expect(() => validateName(name)).toThrow(petInvalid('name must be a string'))
  },
)

// Every character of ECMAScript's \s, listed here so that the test does not depend on the code.
const WHITE_SPACE = [
  ...'\t\n\v\f\r \u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A',
  ...'\u2028\u2029\u202F\u205F\u3000\uFEFF',
]

it.each([...WHITE_SPACE, '', WHITE_SPACE.join('')])(
  'validateName rejects a name of only white space: %j',
  (name) => {
    expect(() => validateName(name)).toThrow(blank)
  },
)

it.each([
  ...['\u0085', '\u180E', '\u200B', '\u200D', '\u2060', '\u0001'],
  ...[`${WHITE_SPACE.join('')}.${WHITE_SPACE.join('')}`, 'Zoe\u0308'],
])('validateNewPet keeps a name that is not white space, not trimmed or normalised: %j', (name) => {
  expect(validateNewPet({ ...REX, name })).toStrictEqual({ ...REX, name })
})

const max = PET_NAME.maxCodePoints

it.each([
  ['letters', 'x'.repeat(max)],
  ['emoji, each of two UTF-16 units', '🐕'.repeat(max)],
  ['both', '🐕x'.repeat(max / 2)],
])('validateNewPet accepts a name of 1000 code points: %s', (_, name) => {
  expect(validateNewPet({ ...REX, name }).name).toBe(name)
})

it.each([
  ['letters', 'x'.repeat(max + 1)],
  ['emoji', '🐕'.repeat(max + 1)],
  ['999 letters and two emoji', `${'x'.repeat(max - 1)}🐕🐕`],
  ['a letter within white space', `${' '.repeat(max)}x`],
  ['500 letters, each with a combining mark, and one more', `${'e\u0308'.repeat(max / 2)}e`],
])('validateName rejects a name of 1001 code points: %s', (_, name) => {
  expect(() => validateName(name)).toThrow(tooLong)
})

it.each([
  ['NUL alone', '\0'],
  ['NUL at the start', '\0Rex'],
  ['NUL in the middle', 'R\0x'],
  ['NUL at the end', 'Rex\0'],
  ['a lone high surrogate', 'Rex\uD83D'],
  ['a lone low surrogate', '\uDC15Rex'],
  ['the first high surrogate before a letter', '\uD800x'],
  ['the last low surrogate after a letter', 'x\uDFFF'],
  ['surrogates in the wrong order', '\uDC15\uD83D'],
  ['a high surrogate before an emoji', '\uD83D🐕'],
  ['a low surrogate after an emoji', '🐕\uDC15'],
])('validateName rejects a name with %s', (_, name) => {
  expect(() => validateName(name)).toThrow(unstorable)
})
