import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type Fault, withFaults } from './faulty-provider.test-support.ts'
import { openAdapter } from './open-adapter.ts'
import { PACTS, readPactFiles } from './pact-files.ts'
import { type InteractionResult, verifyPacts } from './verify-pacts.ts'

/** A fault, and the one difference that the verification must find. */
interface Case {
  readonly fault: Fault
  readonly difference: string
}

const status = (wrong: number): Case => ({
  fault: (answer) => {
    answer.status = wrong
  },
  difference: 'StatusMismatch',
})
const header = (name: string, wrong?: string): Case => ({
  fault: ({ headers }) => {
    if (wrong === undefined) delete headers[name.toLowerCase()]
    else headers[name.toLowerCase()] = wrong
  },
  difference: `HeaderMismatch ${name}`,
})
const body = (path: string, change: (body: Answer['body']) => void): Case => ({
  fault: (answer) => change(answer.body),
  difference: `BodyMismatch ${path}`,
})
const code = (wrong: string): Case =>
  body('$.code', (error) => {
    error.code = wrong
  })

/** One fault for each interaction. */
const CASES: Record<string, Case> = {
  'a list of no pets': body('$', (pets) => pets.push({ id: 1, name: 'Rex', categoryId: 7 })),
  'a list of the available pets': body('$[0].status', (pets) => {
    pets[0].status = 'sold'
  }),
  'a list of two pets, one of them without a status': body('$[1].status', (pets) => {
    pets[1].status = null
  }),
  'a list with a limit of 0': status(200),
  'a list with a limit of 101': status(200),
  'a list with a status that there is not': code('bad_status'),
  'a list with a cursor that is none': header('X-Request-Id'),
  'a list with a cursor that belongs to another status': body('$', (error) => {
    delete error.message
  }),
  'a list without a limit, of more pets than fit on a page': body('$', (pets) => pets.push(pets[0])),
  'a new pet': header('Location'),
  'a new pet that was added already under the same idempotency key': body('$.id', (pet) => {
    pet.id = 6
  }),
  'a new pet without a name': code('bad_request'),
  'a new pet without a status': body('$.status', (pet) => {
    pet.status = 'available'
  }),
  'a new pet of an unusual name': body('$.name', (pet) => {
    pet.name = pet.name.trim()
  }),
  'a new pet whose name was forgotten': status(422),
  'a new pet of a status that there is not': status(201),
  'a new pet of a name without end': status(400),
  'a new pet in Latin-1': code('bad_request'),
  'another pet under a used idempotency key': status(201),
  'one pet': header('Sunset'),
  'one pet, strictly, with a parameter that there is not': header('Preference-Applied'),
  'one pet after the removal of the operation': status(404),
  'one pet that does not exist': body('$.status', (error) => {
    error.status = 400
  }),
  'all available pets, which fit on one page': body('$[0].id', (pets) => {
    pets[0].id = 4
  }),
  'the first page of available pets': header('Link'),
  'the last page of available pets, by the cursor of the first': body('$[0].id', (pets) => {
    pets[0].id = 1
  }),
  ...refusals('listPets', 'pets:read'),
  ...refusals('createPet', 'pets:write'),
  ...refusals('getPet', 'pets:read'),
}

function refusals(operation: string, scope: string): Record<string, Case> {
  return {
    [`${operation} with no key`]: header('WWW-Authenticate', 'Bearer realm="pet-store", error="invalid_token"'),
    [`${operation} with an unknown key`]: header('WWW-Authenticate', 'Bearer realm="pet-store"'),
    [`${operation} with a revoked key`]: status(403),
    [`${operation} with an expired key`]: code('key_expired'),
    [`${operation} with a key without ${scope}`]: header('WWW-Authenticate'),
    [`${operation} with a key that used up its limit`]: header('Retry-After'),
  }
}

const descriptions = readPactFiles([PACTS]).flatMap(({ text }) =>
  (JSON.parse(text) as { interactions: readonly { description: string }[] }).interactions.map((one) => one.description),
)

describe('a provider with one fault in an interaction fails in exactly that:', () => {
  let results: readonly InteractionResult[] = []

  beforeAll(async () => {
    // The verifier plays them one after the other, in the order of the files.
    const order = descriptions[Symbol.iterator]()
    const provider = withFaults(openAdapter, () => CASES[order.next().value ?? '']?.fault)
    const pactUrls = readPactFiles([PACTS]).map(({ path }) => path)
    results = (await verifyPacts({ pactUrls }, provider)).interactions
  }, 60_000)

  it('there is a fault for each', () => {
    expect(Object.keys(CASES).sort()).toEqual([...descriptions].sort())
  })

  it.each(descriptions)('%s', (description) => {
    const found = results.find((one) => one.description === description)
    const differences = (found?.mismatch?.mismatches ?? []).map(({ type, key, path }) =>
      `${type} ${key ?? path ?? ''}`.trim(),
    )
    expect(differences).toContain(CASES[description]?.difference)
    expect(new Set(differences).size, differences.join()).toBe(1)
  })
})
