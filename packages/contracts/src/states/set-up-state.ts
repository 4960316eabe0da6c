import { isApiKeyText, SCOPES } from '@pet-store/access'
import { PET_STATUSES, type Pet, validateNewPet } from '@pet-store/domain'
import { writeCursor } from '@pet-store/http-express'
import { z } from 'zod'
import { type Fixture, type FixtureKey, placePet } from './fixture.ts'
import { CONTRACT_API_KEY, PROVIDER_STATES, type ProviderState } from './provider-states.ts'

/** The parameters of a state in a contract. `null` means absent. */
export type StateParameters = Readonly<Record<string, unknown>>

/** What a state returns for the request or the expected response of a contract. */
export type StateValues = Readonly<Record<string, string | number>>

/**
 * Applies one state to a fixture. Throws a `RangeError` for an unknown state or invalid parameters.
 */
export function setUpState(
  fixture: Fixture,
  name: string,
  parameters: StateParameters = {},
): StateValues {
  const handler = (HANDLERS as Record<string, Handler | undefined>)[name]
  if (handler === undefined) {
    const known = Object.values(PROVIDER_STATES).map((state) => `\n  ${state}`)
    throw new RangeError(
      `There is no provider state ${JSON.stringify(name)}. There are:${known.join('')}`,
    )
  }
  try {
    return handler(fixture, parameters)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new RangeError(`The provider state ${JSON.stringify(name)} cannot be: ${reason}.`, {
      cause,
    })
  }
}

type Handler = (fixture: Fixture, parameters: StateParameters) => StateValues

/** An integer; beyond 2^53 as a string of digits, since most JSON libraries round it. */
const integer = z
  .custom<number | string>(
    (value) =>
      Number.isSafeInteger(value) || (typeof value === 'string' && /^-?\d{1,19}$/.test(value)),
    { error: 'must be an integer, beyond 2^53 as a string of digits' },
  )
  .transform(BigInt)
const status = z.enum(PET_STATUSES).optional()
const apiKey = z
  .string()
  .refine(isApiKeyText, {
    error: 'must have the format of an API key; pet-store keys create makes one',
  })
  .default(CONTRACT_API_KEY)
const scope = z.enum(SCOPES)

const NONE = z.strictObject({})
const PET = z.strictObject({
  name: z.string().default('Rex'),
  categoryId: integer.default(1n),
  status,
})
const KEY = z.strictObject({ apiKey })

const HANDLERS: Record<ProviderState, Handler> = {
  [PROVIDER_STATES.noPets]: read(NONE, (fixture) => {
    if (fixture.pets.size > 0) throw new RangeError('an earlier state of this interaction has pets')
    return {}
  }),

  [PROVIDER_STATES.pet]: read(PET.extend({ id: integer.optional() }), (fixture, { id, ...input }) =>
    valuesOf(placePet(fixture, input, id)),
  ),

  [PROVIDER_STATES.pets]: read(
    PET.extend({
      count: integer.transform(Number).pipe(z.int().min(1).max(1_000)),
      limit: integer.transform(Number).default(20),
      firstId: integer.optional(),
    }),
    (fixture, { count, limit, firstId, ...input }) => {
      const first = placePet(fixture, input, firstId)
      const ids = Array.from({ length: count }, (_, index) => first.id + BigInt(index))
      for (const id of ids.slice(1)) placePet(fixture, input, id)
      const pageEnd = ids[limit - 1]
      return {
        firstId: wireInteger(first.id),
        lastId: wireInteger(first.id + BigInt(count - 1)),
        // For lists without a filter, and for lists of this status.
        ...(pageEnd && {
          cursor: writeCursor(pageEnd, undefined),
          statusCursor: writeCursor(pageEnd, input.status),
        }),
      }
    },
  ),

  [PROVIDER_STATES.noSuchPet]: read(z.strictObject({ id: integer }), (fixture, { id }) => {
    if (fixture.pets.has(id))
      throw new RangeError('an earlier state of this interaction has this pet')
    return { id: wireInteger(id) }
  }),

  [PROVIDER_STATES.creation]: read(
    KEY.extend({ idempotencyKey: z.string(), name: z.string(), categoryId: integer, status }),
    (fixture, { apiKey, idempotencyKey, ...input }) => {
      fixture.creations.push({
        apiKey: placeKey(fixture, apiKey, {}),
        idempotencyKey,
        input: validateNewPet(input),
      })
      return { idempotencyKey }
    },
  ),

  [PROVIDER_STATES.apiKey]: read(
    KEY.extend({
      scopes: z
        .union([scope.transform((one) => [one]), z.array(scope).min(1)])
        .default([...SCOPES]),
    }),
    (fixture, { apiKey, scopes }) => ({ apiKey: placeKey(fixture, apiKey, { scopes }) }),
  ),

  [PROVIDER_STATES.readOnlyKey]: withKey({ scopes: ['pets:read'] }),
  [PROVIDER_STATES.addOnlyKey]: withKey({ scopes: ['pets:write'] }),
  [PROVIDER_STATES.revokedKey]: withKey({ end: 'revoked' }),
  [PROVIDER_STATES.expiredKey]: withKey({ end: 'expired' }),
  [PROVIDER_STATES.usedUpKey]: withKey({ isUsedUp: true }),

  [PROVIDER_STATES.getPetRemoved]: read(NONE, (fixture) => {
    fixture.now = new Date('2030-12-06T00:00:00Z')
    return {}
  }),
}

/** A handler for valid parameters. */
function read<T>(
  schema: z.ZodType<T>,
  handle: (fixture: Fixture, parameters: T) => StateValues,
): Handler {
  return (fixture, parameters) => {
    const given = Object.entries(parameters).filter(([, value]) => value !== null)
    const { data, error } = schema.safeParse(Object.fromEntries(given))
    if (error === undefined) return handle(fixture, data)
    throw new RangeError(
      error.issues.map(({ path, message }) => [...path, message].join(': ')).join('; '),
    )
  }
}

/** A state of a key; by default of the one that is valid in every contract. */
function withKey(change: Partial<FixtureKey>): Handler {
  return read(KEY, (fixture, { apiKey }) => ({ apiKey: placeKey(fixture, apiKey, change) }))
}

function placeKey(fixture: Fixture, apiKey: string, change: Partial<FixtureKey>): string {
  fixture.apiKeys.set(apiKey, { scopes: SCOPES, ...fixture.apiKeys.get(apiKey), ...change })
  return apiKey
}

function valuesOf({ id, name, categoryId, status }: Pet): StateValues {
  return {
    id: wireInteger(id),
    name,
    categoryId: wireInteger(categoryId),
    ...(status && { status }),
  }
}

/** Beyond 2^53 as a string of digits, which can be part of a path. */
function wireInteger(value: bigint): number | string {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}
