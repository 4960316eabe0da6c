import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isApiKeyText } from '@pet-store/access'
import { expect, it } from 'vitest'
import { emptyFixture, petsOf } from './fixture.ts'
import { CONTRACT_API_KEY, PROVIDER_STATES, UNKNOWN_API_KEY } from './provider-states.ts'
import { setUpState } from './set-up-state.ts'

const { pet, pets, noPets, noSuchPet, creation, apiKey } = PROVIDER_STATES

it('the state "a pet exists" has the given parameters, and returns them', () => {
  const fixture = emptyFixture()
  const rex = { id: 42, name: 'Rex', categoryId: 7, status: 'sold' }
  expect(setUpState(fixture, pet, rex)).toEqual(rex)
  expect(petsOf(fixture)).toEqual([{ ...rex, id: 42n, categoryId: 7n }])
  // By default it has the next id, a name and a category, but no status.
  expect(setUpState(fixture, pet, { status: null })).toEqual({ id: 43, name: 'Rex', categoryId: 1 })
  const large = { id: '9007199254740993', categoryId: '-9223372036854775808' }
  expect(setUpState(fixture, pet, large)).toMatchObject(large)
})

it('the state "N pets exist" returns the cursor after the first page if there is one', () => {
  const fixture = emptyFixture()
  const values = setUpState(fixture, pets, { count: 3, limit: 2, firstId: 5, status: 'sold' })
  expect(petsOf(fixture).map(({ id, status }) => [id, status])).toEqual(
    [5n, 6n, 7n].map((id) => [id, 'sold']),
  )
  expect(values).toMatchObject({ firstId: 5, lastId: 7 })
  expect(values['cursor']).not.toBe(values['statusCursor'])
  expect(setUpState(emptyFixture(), pets, { count: 3 })).toEqual({ firstId: 1, lastId: 3 })
})

it.each([
  [pet, { colour: 'brown' }, 'Unrecognized key: "colour".'],
  [pet, { id: 0 }, 'id must be from 1 on, got 0: the service assigns no other ids.'],
  [pet, { id: 9007199254740992 }, 'id: must be an integer, beyond 2^53 as a string of digits.'],
  [
    pet,
    { status: 'gone' },
    'status: Invalid option: expected one of "available"|"pending"|"sold".',
  ],
  [pet, { name: ' ' }, 'name must have a character that is not white space.'],
  [pets, {}, 'count: must be an integer'],
  [pets, { count: 1001 }, 'count: Too big: expected number to be <=1000.'],
  [noPets, { count: 0 }, 'Unrecognized key: "count".'],
  [creation, { name: 'Rex', categoryId: 1 }, 'idempotencyKey: Invalid input'],
  [creation, { name: ' ', categoryId: 1, idempotencyKey: 'a' }, 'name must have a character'],
  [apiKey, { scopes: ['pets:delete'] }, 'scopes: Invalid input'],
  [apiKey, { apiKey: 'secret' }, 'apiKey: must have the format of an API key'],
] as const)('the state "%s" is rejected with %j', (state, parameters, reason) => {
  const because = `The provider state "${state}" cannot be: ${reason}`
  expect(() => setUpState(emptyFixture(), state, parameters)).toThrow(because)
})

it('a state that contradicts an earlier one is rejected', () => {
  const fixture = emptyFixture()
  setUpState(fixture, pet, { id: 1 })
  expect(() => setUpState(fixture, noPets)).toThrow('an earlier state of this interaction has pets')
  expect(() => setUpState(fixture, noSuchPet, { id: 1 })).toThrow(
    'an earlier state of this interaction has this pet',
  )
  expect(() => setUpState(fixture, pet, { id: 1 })).toThrow('the id 1 is taken by an earlier state')
})

it('the keys of contracts have the format of API keys', () => {
  expect([CONTRACT_API_KEY, UNKNOWN_API_KEY].map(isApiKeyText)).toEqual([true, true])
})

it('the how-to has the states of this package and no others, and the API keys', () => {
  const page = readFileSync(
    join(import.meta.dirname, '../../../../docs/how-to/add-a-consumer-contract.md'),
    'utf8',
  )
  const rows = [...page.matchAll(/^\| `([^`]+ [^`]+)` \|/gm)].map(([, state]) => state)
  expect(rows.sort()).toEqual(Object.values(PROVIDER_STATES).sort())
  for (const key of [CONTRACT_API_KEY, UNKNOWN_API_KEY]) expect(page).toContain(key)
})
