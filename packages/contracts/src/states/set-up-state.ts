import { isApiKeyText, SCOPES } from '@pet-store/access'
import { PET_STATUSES, type Pet, type PetStatus, validateNewPet } from '@pet-store/domain'
import { writeCursor } from '@pet-store/http-express'
import { type Fixture, type FixtureKey, placePet } from './fixture.ts'
import { CONTRACT_API_KEY, PROVIDER_STATES, type ProviderState } from './provider-states.ts'
import { integer, oneOf, readParameters, required, type StateParameters, someOf, text } from './state-parameters.ts'

/** What a state returns for the request or the expected response of a contract. */
export type StateValues = Readonly<Record<string, string | number>>

/** Applies one state to a fixture. Throws a `RangeError` for an unknown state or invalid parameters. */
export function setUpState(fixture: Fixture, name: string, parameters: StateParameters = {}): StateValues {
  const handler = (HANDLERS as Record<string, Handler | undefined>)[name]
  if (handler === undefined) {
    const known = Object.values(PROVIDER_STATES).map((state) => `\n  ${state}`)
    throw new RangeError(`There is no provider state ${JSON.stringify(name)}. There are:${known.join('')}`)
  }
  try {
    return handler(fixture, parameters)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new RangeError(`The provider state ${JSON.stringify(name)} cannot be: ${reason}.`, { cause })
  }
}

type Handler = (fixture: Fixture, parameters: StateParameters) => StateValues

const status = oneOf(PET_STATUSES)
const PET = { name: text, categoryId: integer, status }

const HANDLERS: Record<ProviderState, Handler> = {
  [PROVIDER_STATES.noPets]: (fixture, parameters) => {
    readParameters(parameters, {})
    if (fixture.pets.size > 0) throw new RangeError('an earlier state of this interaction has pets')
    return {}
  },

  [PROVIDER_STATES.pet]: (fixture, parameters) => {
    const { id, ...pet } = readParameters(parameters, { id: integer, ...PET })
    return valuesOf(placePet(fixture, inputOf(pet), id))
  },

  [PROVIDER_STATES.pets]: (fixture, parameters) => {
    const { firstId, ...read } = readParameters(parameters, {
      count: integer,
      limit: integer,
      firstId: integer,
      ...PET,
    })
    const { count: total, limit = 20n, ...pet } = read
    const count = required('count', total)
    if (count < 1n || count > 1_000n) throw new RangeError('count must be from 1 to 1000')
    const first = placePet(fixture, inputOf(pet), firstId)
    const pets = [first]
    for (let more = 1n; more < count; more += 1n) pets.push(placePet(fixture, inputOf(pet), first.id + more))
    const last = pets.at(-1) ?? first
    const pageEnd = pets[Number(limit) - 1]
    return {
      firstId: wireInteger(first.id),
      lastId: wireInteger(last.id),
      // For lists without a filter, and for lists of this status.
      ...(pageEnd && { cursor: writeCursor(pageEnd.id, undefined), statusCursor: writeCursor(pageEnd.id, pet.status) }),
    }
  },

  [PROVIDER_STATES.noSuchPet]: (fixture, parameters) => {
    const id = required('id', readParameters(parameters, { id: integer }).id)
    if (fixture.pets.has(id)) throw new RangeError('an earlier state of this interaction has this pet')
    return { id: wireInteger(id) }
  },

  [PROVIDER_STATES.creation]: (fixture, parameters) => {
    const read = readParameters(parameters, { idempotencyKey: text, apiKey: text, ...PET })
    const input = validateNewPet({
      name: required('name', read.name),
      categoryId: required('categoryId', read.categoryId),
      ...(read.status && { status: read.status }),
    })
    const idempotencyKey = required('idempotencyKey', read.idempotencyKey)
    fixture.creations.push({ apiKey: placeKey(fixture, read.apiKey, {}), idempotencyKey, input })
    return { idempotencyKey }
  },

  [PROVIDER_STATES.apiKey]: (fixture, parameters) => {
    const { apiKey, scopes = SCOPES } = readParameters(parameters, { apiKey: text, scopes: someOf(SCOPES) })
    return { apiKey: placeKey(fixture, apiKey, { scopes }) }
  },

  [PROVIDER_STATES.readOnlyKey]: withKey({ scopes: ['pets:read'] }),
  [PROVIDER_STATES.addOnlyKey]: withKey({ scopes: ['pets:write'] }),
  [PROVIDER_STATES.revokedKey]: withKey({ end: 'revoked' }),
  [PROVIDER_STATES.expiredKey]: withKey({ end: 'expired' }),
  [PROVIDER_STATES.usedUpKey]: withKey({ isUsedUp: true }),

  [PROVIDER_STATES.getPetRemoved]: (fixture, parameters) => {
    readParameters(parameters, {})
    fixture.now = new Date('2030-12-06T00:00:00Z')
    return {}
  },
}

/** A state of a key; by default of the one that is valid in every contract. */
function withKey(change: Partial<FixtureKey>): Handler {
  return (fixture, parameters) => ({
    apiKey: placeKey(fixture, readParameters(parameters, { apiKey: text }).apiKey, change),
  })
}

function placeKey(fixture: Fixture, apiKey: string = CONTRACT_API_KEY, change: Partial<FixtureKey>): string {
  if (!isApiKeyText(apiKey)) {
    throw new RangeError(
      `${JSON.stringify(apiKey)} is not in the format of an API key; omit apiKey, or create one with pet-store keys create`,
    )
  }
  fixture.apiKeys.set(apiKey, { scopes: SCOPES, ...fixture.apiKeys.get(apiKey), ...change })
  return apiKey
}

interface PetParameters {
  readonly name: string | undefined
  readonly categoryId: bigint | undefined
  readonly status: PetStatus | undefined
}

/** Defaults for the fields that every pet has; a status that the contract omits stays absent. */
function inputOf({ name = 'Rex', categoryId = 1n, status }: PetParameters) {
  return { name, categoryId, ...(status && { status }) }
}

function valuesOf({ id, name, categoryId, status }: Pet): StateValues {
  return { id: wireInteger(id), name, categoryId: wireInteger(categoryId), ...(status && { status }) }
}

/** Beyond 2^53 as a string of digits, which can be part of a path. */
function wireInteger(value: bigint): number | string {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}
