import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isApiKeyText } from '@pet-store/access'
import { describe, expect, it } from 'vitest'
import { CONTRACT_API_KEY, UNKNOWN_API_KEY } from './contract-api-keys.ts'
import { PROVIDER_STATES } from './provider-states.ts'
import { emptyScene, petsOf } from './scene.ts'
import { setUpState } from './set-up-state.ts'

describe('a pet', () => {
  it('takes what is said of it, and gives it back for the contract to use', () => {
    const scene = emptyScene()
    const rex = { id: 42, name: 'Rex', categoryId: 7, status: 'sold' }
    expect(setUpState(scene, PROVIDER_STATES.pet, rex)).toEqual(rex)
    expect(petsOf(scene)).toEqual([{ ...rex, id: 42n, categoryId: 7n }])
  })

  it('has an id, a name and a category where nothing is said, but no status', () => {
    expect(setUpState(emptyScene(), PROVIDER_STATES.pet)).toEqual({ id: 1, name: 'Rex', categoryId: 1 })
    expect(setUpState(emptyScene(), PROVIDER_STATES.pet, { status: null })).not.toHaveProperty('status')
  })

  it('follows the one before it', () => {
    const scene = emptyScene()
    setUpState(scene, PROVIDER_STATES.pet, { id: 7 })
    expect(setUpState(scene, PROVIDER_STATES.pet)).toMatchObject({ id: 8 })
  })

  it('can have integers beyond 2^53, as digits', () => {
    const large = { id: '9007199254740993', categoryId: '-9223372036854775808' }
    expect(setUpState(emptyScene(), PROVIDER_STATES.pet, large)).toMatchObject(large)
  })
})

describe('N pets', () => {
  it('follow one another, and say where their pages end', () => {
    const scene = emptyScene()
    const values = setUpState(scene, PROVIDER_STATES.pets, { count: 3, limit: 2, firstId: 5, status: 'sold' })
    expect(petsOf(scene).map(({ id, status }) => [id, status])).toEqual([5n, 6n, 7n].map((id) => [id, 'sold']))
    expect(values).toMatchObject({ firstId: 5, lastId: 7 })
    expect(values['cursor']).not.toBe(values['statusCursor'])
  })

  it('have no cursor where they fill no page', () => {
    expect(setUpState(emptyScene(), PROVIDER_STATES.pets, { count: 3 })).toEqual({ firstId: 1, lastId: 3 })
  })
})

describe('a state is refused with a sentence:', () => {
  const { pet, pets, noPets, noSuchPet, creation, apiKey } = PROVIDER_STATES
  it.each([
    [pet, { colour: 'brown' }, 'no parameter of this state is called colour; it has id, name, categoryId, status.'],
    [pet, { id: 0 }, 'id must be from 1 on, got 0: the service gives no other ids.'],
    [pet, { id: 9007199254740992 }, 'the parameter id cannot be 9007199254740992.'],
    [pet, { status: 'gone' }, 'the parameter status cannot be "gone".'],
    [pet, { name: ' ' }, 'name must have a character that is not white space.'],
    [pets, {}, 'the parameter count is required.'],
    [pets, { count: 1001 }, 'count must be from 1 to 1000.'],
    [noPets, { count: 0 }, 'no parameter of this state is called count; it has none.'],
    [noSuchPet, {}, 'the parameter id is required.'],
    [creation, { name: 'Rex', categoryId: 1 }, 'the parameter idempotencyKey is required.'],
    [apiKey, { scopes: ['pets:delete'] }, 'the parameter scopes cannot be ["pets:delete"].'],
    [apiKey, { apiKey: 'secret' }, '"secret" has not the form of an API key'],
  ] as const)('%s %j', (state, parameters, reason) => {
    const because = `The provider state "${state}" cannot be: ${reason}`
    expect(() => setUpState(emptyScene(), state, parameters)).toThrow(because)
  })

  it('no pets, after some', () => {
    const scene = emptyScene()
    setUpState(scene, pet, { id: 1 })
    expect(() => setUpState(scene, noPets)).toThrow('an earlier state of this interaction has pets')
    expect(() => setUpState(scene, noSuchPet, { id: 1 })).toThrow('an earlier state of this interaction has this pet')
    expect(() => setUpState(scene, pet, { id: 1 })).toThrow('the id 1 is taken by an earlier state')
  })
})

it('the keys of contracts have the form of API keys', () => {
  expect([CONTRACT_API_KEY, UNKNOWN_API_KEY].map(isApiKeyText)).toEqual([true, true])
})

describe('the page for other teams', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/how-to/add-a-consumer-contract.md'), 'utf8')

  it.each(Object.values(PROVIDER_STATES))('has a row for "%s"', (state) => {
    expect(page).toContain(`| \`${state}\` |`)
  })

  it('has the keys', () => {
    expect(page).toContain(CONTRACT_API_KEY)
    expect(page).toContain(UNKNOWN_API_KEY)
  })

  it('has no state that there is not', () => {
    const rows = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, state = '']) => state)
    expect(rows.filter((row) => / /.test(row)).sort()).toEqual(Object.values(PROVIDER_STATES).sort())
  })
})
