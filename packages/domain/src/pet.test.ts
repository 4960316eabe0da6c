import { describe, expect, it } from 'vitest'
import { INT64, PET_NAME, type PetInput, validateNewPet } from './pet.ts'
import { PET_STATUSES } from './pet-status.ts'

const REX: PetInput = { name: 'Rex', categoryId: 1n }

/** What a caller in JavaScript, or one that casts, can hand over. */
function judging(fields: Readonly<Record<string, unknown>>): () => unknown {
  return () => validateNewPet({ ...REX, ...fields })
}

function refusal(message: string): object {
  return expect.objectContaining({ name: 'PetError', code: 'pet_invalid', message })
}

/** Readable in the name of a test. */
function escaped(text: string): string {
  return [...text]
    .map((character) => `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`)
    .join(' ')
}

describe('validateNewPet', () => {
  it('keeps the three fields as given', () => {
    expect(validateNewPet({ name: ' Rex ', categoryId: -7n, status: 'pending' })).toStrictEqual({
      name: ' Rex ',
      categoryId: -7n,
      status: 'pending',
    })
  })

  it('drops every other field, an id too', () => {
    expect(judging({ id: 5n, owner: 'Ann' })()).toStrictEqual(REX)
    expect(judging({ id: 5n, owner: 'Ann', status: 'sold' })()).toStrictEqual({ ...REX, status: 'sold' })
  })

  it('leaves the draft alone', () => {
    const draft = Object.freeze({ ...REX })

    expect(validateNewPet(draft)).not.toBe(draft)
  })

  it('does not look for fields in what the draft inherits from Object', () => {
    expect(() => validateNewPet({} as PetInput)).toThrow(refusal('name must be a string'))
  })
})

describe('validateNewPet judges the name:', () => {
  const blank = refusal('name must have a character that is not white space')
  const unstorable = refusal('name must not contain NUL or a lone surrogate')
  const tooLong = refusal('name must have at most 1000 characters')

  it.each([undefined, null, 7, 7n, true, ['Rex'], {}, Symbol('Rex')])('refuses %o, which is no text', (name) => {
    expect(judging({ name })).toThrow(refusal('name must be a string'))
  })

  it('refuses an empty name', () => {
    expect(judging({ name: '' })).toThrow(blank)
  })

  // Every character of ECMAScript's \s, once written out so that the list does not follow the code.
  const WHITE_SPACE = [
    ...'\t\n\v\f\r \u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A',
    ...'\u2028\u2029\u202F\u205F\u3000\uFEFF',
  ]

  it.each(WHITE_SPACE.map((space) => [escaped(space), space]))('refuses a name of %s alone', (_, space) => {
    expect(judging({ name: space })).toThrow(blank)
  })

  it('refuses a name of all kinds of white space together', () => {
    expect(judging({ name: WHITE_SPACE.join('') })).toThrow(blank)
  })

  it.each(
    ['\u0085', '\u180E', '\u200B', '\u200D', '\u2060', '\u0001'].map((character) => [escaped(character), character]),
  )('accepts a name of %s alone, which only looks like white space', (_, name) => {
    expect(judging({ name })()).toStrictEqual({ ...REX, name })
  })

  it('accepts one character between white space, and keeps all of it', () => {
    const name = `${WHITE_SPACE.join('')}.${WHITE_SPACE.join('')}`

    expect(judging({ name })()).toStrictEqual({ ...REX, name })
  })

  it('keeps a name that is not normalised', () => {
    expect(validateNewPet({ ...REX, name: 'Zoe\u0308' }).name).toBe('Zoe\u0308')
  })

  const max = PET_NAME.maxCodePoints

  it.each([
    ['letters', 'x'.repeat(max)],
    ['emoji, each of two UTF-16 units', '🐕'.repeat(max)],
    ['both', '🐕x'.repeat(max / 2)],
  ])('accepts 1000 code points: %s', (_, name) => {
    expect(validateNewPet({ ...REX, name }).name).toBe(name)
  })

  it.each([
    ['letters', 'x'.repeat(max + 1)],
    ['emoji', '🐕'.repeat(max + 1)],
    ['999 letters and two emoji', `${'x'.repeat(max - 1)}🐕🐕`],
    ['a letter within white space', `${' '.repeat(max)}x`],
    ['500 letters, each with a combining mark, and one more', `${'e\u0308'.repeat(max / 2)}e`],
  ])('refuses 1001 code points: %s', (_, name) => {
    expect(judging({ name })).toThrow(tooLong)
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
  ])('refuses %s', (_, name) => {
    expect(judging({ name })).toThrow(unstorable)
  })
})

describe('validateNewPet judges the category:', () => {
  it.each([0n, 1n, -1n, 2n ** 53n + 1n, INT64.max - 1n, INT64.max, INT64.min + 1n, INT64.min])(
    'accepts %s',
    (categoryId) => {
      expect(validateNewPet({ ...REX, categoryId }).categoryId).toBe(categoryId)
    },
  )

  it.each([INT64.max + 1n, INT64.min - 1n, 2n ** 64n, -(2n ** 64n)])(
    'refuses %s, which is beyond int64',
    (categoryId) => {
      expect(judging({ categoryId })).toThrow(
        refusal('categoryId must be an integer from -9223372036854775808 to 9223372036854775807'),
      )
    },
  )

  it.each([undefined, null, 1, Number.NaN, '1', true, [1n], {}, Object(1n)])(
    'refuses %o, which is no bigint',
    (categoryId) => {
      expect(judging({ categoryId })).toThrow(/^categoryId must be an integer/)
    },
  )
})

describe('validateNewPet judges the status:', () => {
  it.each(PET_STATUSES)('accepts %s', (status) => {
    expect(validateNewPet({ ...REX, status }).status).toBe(status)
  })

  it('leaves the key out when there is no status', () => {
    expect(Object.keys(validateNewPet(REX))).toEqual(['name', 'categoryId'])
  })

  it('leaves the key out also when the status is undefined', () => {
    expect(Object.keys(judging({ status: undefined })() as object)).toEqual(['name', 'categoryId'])
  })

  it.each([null, '', 'Sold', ' sold', 'lost', 'constructor', 0, false, ['sold'], {}])('refuses %o', (status) => {
    expect(judging({ status })).toThrow(refusal('status must be one of available, pending, sold'))
  })
})

describe('validateNewPet names one mistake at a time:', () => {
  it('the name first, then the category, then the status', () => {
    expect(judging({ name: '', categoryId: 1, status: 'lost' })).toThrow(/^name /)
    expect(judging({ categoryId: 1, status: 'lost' })).toThrow(/^categoryId /)
  })
})
