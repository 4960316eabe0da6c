import { expect, it } from 'vitest'
import { INT64, isPetStatus, PET_STATUSES, type PetInput, validateNewPet } from './pet.ts'

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

it.each([0n, 1n, -1n, 2n ** 53n + 1n, INT64.max - 1n, INT64.max, INT64.min + 1n, INT64.min])(
  'validateNewPet accepts the category id %s',
  (categoryId) => {
    expect(validateNewPet({ ...REX, categoryId }).categoryId).toBe(categoryId)
  },
)

it.each([INT64.max + 1n, INT64.min - 1n, 2n ** 64n, -(2n ** 64n)])(
  'validateNewPet rejects the category id %s, which is beyond int64',
  (categoryId) => {
    expect(validating({ categoryId })).toThrow(
      petInvalid('categoryId must be an integer from -9223372036854775808 to 9223372036854775807'),
    )
  },
)

it.each([undefined, null, 1, Number.NaN, '1', true, [1n], {}, Object(1n)])(
  'validateNewPet rejects the category id %o, which is not a bigint',
  (categoryId) => {
    expect(validating({ categoryId })).toThrow(/^categoryId must be an integer/)
  },
)

it('validateNewPet accepts the three statuses of the interface document', () => {
  expect(PET_STATUSES).toEqual(['available', 'pending', 'sold'])
  for (const status of PET_STATUSES) expect(validateNewPet({ ...REX, status }).status).toBe(status)
})

it.each([REX, { ...REX, status: undefined }])(
  'validateNewPet adds no status key when there is no status: %o',
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
])('validateNewPet rejects the status %o', (status) => {
  expect(validating({ status })).toThrow(
    petInvalid('status must be one of available, pending, sold'),
  )
})

it('validateNewPet names one mistake: the name first, then category and status', () => {
  expect(validating({ name: '', categoryId: 1, status: 'lost' })).toThrow(/^name /)
  expect(validating({ categoryId: 1, status: 'lost' })).toThrow(/^categoryId /)
})

it.each([null, undefined, 'Rex', 7n])(
  'validateNewPet rejects %o, which is not an object',
  (input) => {
    expect(() => validateNewPet(input as unknown as PetInput)).toThrow(
      petInvalid('the pet must be an object'),
    )
  },
)

it('isPetStatus says whether a value is a status, letter for letter', () => {
  expect(
    [...PET_STATUSES, '', 'SOLD', ' sold', '0', undefined, ['sold']].filter(isPetStatus),
  ).toEqual(PET_STATUSES)
})
