import { expect, it } from 'vitest'
import { INT64, isPetStatus, PET_NAME, PET_STATUSES, type PetInput, validateNewPet } from './pet.ts'

const REX: PetInput = { name: 'Rex', categoryId: 1n }

/** Validates input that the types forbid, as a caller in JavaScript can pass it. */
function validating(fields: Readonly<Record<string, unknown>>): () => unknown {
  return () => validateNewPet({ ...REX, ...fields })
}

function petInvalid(message: string): object {
  return expect.objectContaining({ name: 'PetError', code: 'pet_invalid', message })
}

it('validateNewPet returns the three fields as given', () => {
  expect(validateNewPet({ name: ' Rex ', categoryId: -7n, status: 'pending' })).toStrictEqual({
    name: ' Rex ',
    categoryId: -7n,
    status: 'pending',
  })
})

it('validateNewPet drops every other field, even an id', () => {
  expect(validateNewPet(Object.freeze({ id: 5n, owner: 'Ann', ...REX }))).toStrictEqual(REX)
  expect(validating({ id: 5n, owner: 'Ann', status: 'sold' })()).toStrictEqual({
    ...REX,
    status: 'sold',
  })
})

it('validateNewPet takes no field from Object.prototype', () => {
  expect(() => validateNewPet({} as PetInput)).toThrow(petInvalid('name must be a string'))
})

const blank = petInvalid('name must have a character that is not white space')
const unstorable = petInvalid('name must not contain NUL or a lone surrogate')
const tooLong = petInvalid('name must have at most 1000 characters')

it.each([undefined, null, 7, 7n, true, ['Rex'], {}, Symbol('Rex')])(
  'rejects the name %o, which is not a string',
  (name) => {
    expect(validating({ name })).toThrow(petInvalid('name must be a string'))
  },
)

// Every character of ECMAScript's \s, listed here so that the test does not depend on the code.
const WHITE_SPACE = [
  ...'\t\n\v\f\r \u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A',
  ...'\u2028\u2029\u202F\u205F\u3000\uFEFF',
]

it.each([...WHITE_SPACE, '', WHITE_SPACE.join('')])(
  'rejects a name of only white space: %j',
  (name) => {
    expect(validating({ name })).toThrow(blank)
  },
)

it.each([
  ...['\u0085', '\u180E', '\u200B', '\u200D', '\u2060', '\u0001'],
  ...[`${WHITE_SPACE.join('')}.${WHITE_SPACE.join('')}`, 'Zoe\u0308'],
])(
  'accepts a name that is not white space unchanged, neither trimmed nor normalised: %j',
  (name) => {
    expect(validating({ name })()).toStrictEqual({ ...REX, name })
  },
)

const max = PET_NAME.maxCodePoints

it.each([
  ['letters', 'x'.repeat(max)],
  ['emoji, each of two UTF-16 units', '🐕'.repeat(max)],
  ['both', '🐕x'.repeat(max / 2)],
])('accepts a name of 1000 code points: %s', (_, name) => {
  expect(validateNewPet({ ...REX, name }).name).toBe(name)
})

it.each([
  ['letters', 'x'.repeat(max + 1)],
  ['emoji', '🐕'.repeat(max + 1)],
  ['999 letters and two emoji', `${'x'.repeat(max - 1)}🐕🐕`],
  ['a letter within white space', `${' '.repeat(max)}x`],
  ['500 letters, each with a combining mark, and one more', `${'e\u0308'.repeat(max / 2)}e`],
])('rejects a name of 1001 code points: %s', (_, name) => {
  expect(validating({ name })).toThrow(tooLong)
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
])('rejects a name with %s', (_, name) => {
  expect(validating({ name })).toThrow(unstorable)
})

it.each([0n, 1n, -1n, 2n ** 53n + 1n, INT64.max - 1n, INT64.max, INT64.min + 1n, INT64.min])(
  'accepts the category id %s',
  (categoryId) => {
    expect(validateNewPet({ ...REX, categoryId }).categoryId).toBe(categoryId)
  },
)

it.each([INT64.max + 1n, INT64.min - 1n, 2n ** 64n, -(2n ** 64n)])(
  'rejects the category id %s, which is beyond int64',
  (categoryId) => {
    expect(validating({ categoryId })).toThrow(
      petInvalid('categoryId must be an integer from -9223372036854775808 to 9223372036854775807'),
    )
  },
)

it.each([undefined, null, 1, Number.NaN, '1', true, [1n], {}, Object(1n)])(
  'rejects the category id %o, which is not a bigint',
  (categoryId) => {
    expect(validating({ categoryId })).toThrow(/^categoryId must be an integer/)
  },
)

it('accepts the three statuses of the interface document', () => {
  expect(PET_STATUSES).toEqual(['available', 'pending', 'sold'])
  for (const status of PET_STATUSES) expect(validateNewPet({ ...REX, status }).status).toBe(status)
})

it.each([REX, { ...REX, status: undefined }])(
  'adds no status key when there is no status: %o',
  (input) => {
    expect(Object.keys(validateNewPet(input))).toEqual(['name', 'categoryId'])
  },
)

it.each([
  null,
  '',
  'Sold',
  ' sold',
  'sold ',
  'lost',
  'constructor',
  'length',
  0,
  1n,
  false,
  ['sold'],
  {},
])('rejects the status %o', (status) => {
  expect(validating({ status })).toThrow(
    petInvalid('status must be one of available, pending, sold'),
  )
})

it('names one mistake at a time: the name first, then the category, then the status', () => {
  expect(validating({ name: '', categoryId: 1, status: 'lost' })).toThrow(/^name /)
  expect(validating({ categoryId: 1, status: 'lost' })).toThrow(/^categoryId /)
})

it.each([null, undefined, 'Rex', 7n])('rejects %o, which is not an object', (input) => {
  expect(() => validateNewPet(input as unknown as PetInput)).toThrow(
    petInvalid('the pet must be an object'),
  )
})

it('isPetStatus says whether a value is a status, letter for letter', () => {
  expect(
    [...PET_STATUSES, '', 'SOLD', ' sold', '0', undefined, ['sold']].filter(isPetStatus),
  ).toEqual(PET_STATUSES)
})
