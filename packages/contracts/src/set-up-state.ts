import { isApiKeyText, SCOPES } from '@pet-store/access'
import { PET_STATUSES, type Pet, type PetStatus, validateNewPet } from '@pet-store/domain'
import { writeCursor } from '@pet-store/http-express'
import { CONTRACT_API_KEY } from './contract-api-keys.ts'
import { PROVIDER_STATES, type ProviderState } from './provider-states.ts'
import { placePet, type Scene, type SceneKey } from './scene.ts'
import { integer, oneOf, readParameters, required, type StateParameters, someOf, text } from './state-parameters.ts'

/** What a contract can take out of a state, for its request or the expected answer. */
export type StateValues = Readonly<Record<string, string | number>>

/** Writes one state into a scene. Throws a sentence where there is no such state, or its parameters do not fit. */
export function setUpState(scene: Scene, name: string, parameters: StateParameters = {}): StateValues {
  const handler = (HANDLERS as Record<string, Handler | undefined>)[name]
  if (handler === undefined) {
    const known = Object.values(PROVIDER_STATES).map((state) => `\n  ${state}`)
    throw new RangeError(`There is no provider state ${JSON.stringify(name)}. There are:${known.join('')}`)
  }
  try {
    return handler(scene, parameters)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new RangeError(`The provider state ${JSON.stringify(name)} cannot be: ${reason}.`, { cause })
  }
}

type Handler = (scene: Scene, parameters: StateParameters) => StateValues

const status = oneOf(PET_STATUSES)
const PET = { name: text, categoryId: integer, status }

const HANDLERS: Record<ProviderState, Handler> = {
  [PROVIDER_STATES.noPets]: (scene, parameters) => {
    readParameters(parameters, {})
    if (scene.pets.size > 0) throw new RangeError('an earlier state of this interaction has pets')
    return {}
  },

  [PROVIDER_STATES.pet]: (scene, parameters) => {
    const { id, ...pet } = readParameters(parameters, { id: integer, ...PET })
    return valuesOf(placePet(scene, draftOf(pet), id))
  },

  [PROVIDER_STATES.pets]: (scene, parameters) => {
    const { firstId, ...read } = readParameters(parameters, {
      count: integer,
      limit: integer,
      firstId: integer,
      ...PET,
    })
    const { count: total, limit = 20n, ...pet } = read
    const count = required('count', total)
    if (count < 1n || count > 1_000n) throw new RangeError('count must be from 1 to 1000')
    const first = placePet(scene, draftOf(pet), firstId)
    const pets = [first]
    for (let more = 1n; more < count; more += 1n) pets.push(placePet(scene, draftOf(pet), first.id + more))
    const last = pets.at(-1) ?? first
    const behind = pets[Number(limit) - 1]
    return {
      firstId: wireInteger(first.id),
      lastId: wireInteger(last.id),
      // Good for lists of this status, and for those without a filter a second one.
      ...(behind && { cursor: writeCursor(behind.id, undefined), statusCursor: writeCursor(behind.id, pet.status) }),
    }
  },

  [PROVIDER_STATES.noSuchPet]: (scene, parameters) => {
    const id = required('id', readParameters(parameters, { id: integer }).id)
    if (scene.pets.has(id)) throw new RangeError('an earlier state of this interaction has this pet')
    return { id: wireInteger(id) }
  },

  [PROVIDER_STATES.creation]: (scene, parameters) => {
    const read = readParameters(parameters, { idempotencyKey: text, apiKey: text, ...PET })
    const draft = validateNewPet({
      name: required('name', read.name),
      categoryId: required('categoryId', read.categoryId),
      ...(read.status && { status: read.status }),
    })
    const idempotencyKey = required('idempotencyKey', read.idempotencyKey)
    scene.creations.push({ apiKey: placeKey(scene, read.apiKey, {}), idempotencyKey, draft })
    return { idempotencyKey }
  },

  [PROVIDER_STATES.apiKey]: (scene, parameters) => {
    const { apiKey, scopes = SCOPES } = readParameters(parameters, { apiKey: text, scopes: someOf(SCOPES) })
    return { apiKey: placeKey(scene, apiKey, { scopes }) }
  },

  [PROVIDER_STATES.readOnlyKey]: withKey({ scopes: ['pets:read'] }),
  [PROVIDER_STATES.addOnlyKey]: withKey({ scopes: ['pets:write'] }),
  [PROVIDER_STATES.revokedKey]: withKey({ end: 'revoked' }),
  [PROVIDER_STATES.expiredKey]: withKey({ end: 'expired' }),
  [PROVIDER_STATES.usedUpKey]: withKey({ isUsedUp: true }),

  [PROVIDER_STATES.getPetRemoved]: (scene, parameters) => {
    readParameters(parameters, {})
    scene.now = new Date('2030-12-06T00:00:00Z')
    return {}
  },
}

/** A state that says something of a key, the usual one unless the contract names another. */
function withKey(change: Partial<SceneKey>): Handler {
  return (scene, parameters) => ({
    apiKey: placeKey(scene, readParameters(parameters, { apiKey: text }).apiKey, change),
  })
}

function placeKey(scene: Scene, apiKey: string = CONTRACT_API_KEY, change: Partial<SceneKey>): string {
  if (!isApiKeyText(apiKey)) {
    throw new RangeError(
      `${JSON.stringify(apiKey)} has not the form of an API key; leave apiKey out, or make one with pet-store keys create`,
    )
  }
  scene.apiKeys.set(apiKey, { scopes: SCOPES, ...scene.apiKeys.get(apiKey), ...change })
  return apiKey
}

interface PetParameters {
  readonly name: string | undefined
  readonly categoryId: bigint | undefined
  readonly status: PetStatus | undefined
}

/** A status that the contract leaves out stays absent; the other two are needed by every pet. */
function draftOf({ name = 'Rex', categoryId = 1n, status }: PetParameters) {
  return { name, categoryId, ...(status && { status }) }
}

function valuesOf({ id, name, categoryId, status }: Pet): StateValues {
  return { id: wireInteger(id), name, categoryId: wireInteger(categoryId), ...(status && { status }) }
}

/** Beyond 2^53 as digits, which fit into a path as well. */
function wireInteger(value: bigint): number | string {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}
