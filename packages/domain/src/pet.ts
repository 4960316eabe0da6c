import { PetError } from './pet-error.ts'
import { validateName } from './pet-name.ts'

/** Identifies a pet; assigned by the repository, never changed or reused. Any int64. */
export type PetId = bigint

/** The content of a pet that is to be created; not validated yet. */
export interface PetInput {
  /** See `PET_NAME` for the rules. Stored exactly as given: no trimming, no normalisation. */
  readonly name: string
  /** Any int64. Categories are managed elsewhere; their existence is not checked. */
  readonly categoryId: bigint
  /** Absent or `undefined` when not given; that is different from every status. */
  readonly status?: PetStatus | undefined
}

/** The fields of a validated pet: an absent field has no key at all. */
type PetFields = { readonly [Field in keyof PetInput]: Exclude<PetInput[Field], undefined> }

declare const validated: unique symbol

/**
 * Input that passed every rule. Only `validateNewPet` returns one; the mark exists at compile time
 * only.
 */
export type NewPet = PetFields & { readonly [validated]: true }

/**
 * A stored pet. Plain data, never validated again: a rule added later must not hide pets that are
 * stored already.
 */
export interface Pet extends PetFields {
  readonly id: PetId
}

/** Every availability status, in the order of the interface document (section 2). */
export const PET_STATUSES = ['available', 'pending', 'sold'] as const

/** Availability of a pet. The document gives no transitions between the values. */
export type PetStatus = (typeof PET_STATUSES)[number]

/** Whether a value is one of the three statuses, letter for letter. */
export function isPetStatus(value: unknown): value is PetStatus {
  return (PET_STATUSES as readonly unknown[]).includes(value)
}

/** The range of ids and category ids: signed integers of 64 bits. */
export const INT64: { readonly min: bigint; readonly max: bigint } = {
  min: -(2n ** 63n),
  max: 2n ** 63n - 1n,
}

/** What code that lists the fields of a pet needs to know about one. */
interface Field {
  readonly isInteger: boolean
  /** Whether every pet has it. */
  readonly isRequired: boolean
  /** Throws `pet_invalid` for a value that breaks the rule. */
  readonly validate: (value: unknown) => void
  /** Its part of a pet's fingerprint. */
  readonly fingerprint: (pet: NewPet) => string
}

/**
 * Every field, in the order in which mistakes are reported and files have them. A new one comes
 * last; it is optional, because stored pets do not have it.
 */
export const PET_FIELDS: Readonly<Record<keyof PetInput, Field>> = {
  name: {
    isInteger: false,
    isRequired: true,
    validate: validateName,
    fingerprint: ({ name }) => name,
  },
  categoryId: {
    isInteger: true,
    isRequired: true,
    validate: validateCategoryId,
    fingerprint: ({ categoryId }) => `${categoryId}/`,
  },
  status: {
    isInteger: false,
    isRequired: false,
    validate: validateStatus,
    fingerprint: ({ status }) => `${status ?? ''}/`,
  },
}
const FIELDS = Object.entries(PET_FIELDS) as readonly [keyof PetInput, Field][]

/**
 * The content of a pet as text: equal content has equal fingerprints. Stored idempotency keys have
 * this format, so it must not change: the last field comes first, a further one as `field=value&`
 * with the value encoded by `encodeURIComponent`, and as nothing when it is absent. `name` is last,
 * because it may contain any character.
 */
export function fingerprintOf(pet: NewPet): string {
  return FIELDS.reduce((text, [, { fingerprint }]) => fingerprint(pet) + text, '')
}

/**
 * Validates a pet against every rule and returns its fields; fields that a pet does not have are
 * dropped. Throws `pet_invalid`, naming the first field that breaks a rule and the rule.
 */
export function validateNewPet(input: PetInput): NewPet {
  if (typeof input !== 'object' || input === null) throw invalid('the pet must be an object')
  const pet: Partial<Record<keyof PetInput, unknown>> = {}
  for (const [field, { validate }] of FIELDS) {
    const value = input[field]
    validate(value)
    if (value !== undefined) pet[field] = value
  }
  return pet as NewPet
}

function validateCategoryId(categoryId: unknown): void {
  if (typeof categoryId !== 'bigint' || categoryId < INT64.min || categoryId > INT64.max) {
    throw invalid(`categoryId must be an integer from ${INT64.min} to ${INT64.max}`)
  }
}

function validateStatus(status: unknown): void {
  if (status !== undefined && !isPetStatus(status))
    throw invalid(`status must be one of ${PET_STATUSES.join(', ')}`)
}

function invalid(message: string): PetError {
  return new PetError('pet_invalid', message)
}
