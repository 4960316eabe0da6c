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
 * A stored pet. Plain data: its fields are enumerable properties of its own. Never validated again:
 * a rule added later must not hide pets that are stored already.
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

/** What code that goes through all fields of a pet needs to know about one of them. */
interface Field {
  readonly isInteger: boolean
  /** Whether every pet has it. */
  readonly isRequired: boolean
  /** Throws `pet_invalid` for a value that breaks the rule. */
  readonly validate: (value: unknown) => void
  /** Its part of a pet's fingerprint; see `fingerprintOf`. */
  readonly fingerprint: (pet: NewPet) => string
}

/**
 * Every field of a pet, in the order in which invalid fields are reported and the columns of files
 * are written. Add a new field at the end. It must be optional, because stored pets do not have it.
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
