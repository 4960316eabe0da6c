import { PetError } from './pet-error.ts'
import { isPetStatus, PET_STATUSES, type PetStatus } from './pet-status.ts'

/** Identifies a pet for ever; assigned by the storage, never reused. Any int64. */
export type PetId = bigint

/** What somebody says about a pet; not judged yet. */
export interface PetDraft {
  /** See `PET_NAME` for the rules. Kept exactly as given: no trimming, no normalisation. */
  readonly name: string
  /** Any int64. Categories are kept elsewhere, so nothing checks that this one exists. */
  readonly categoryId: bigint
  /** Left out when nobody said; that is not the same as any of the statuses. */
  readonly status?: PetStatus
}

declare const judged: unique symbol

/** A draft that passed every rule. Only `draftPet` makes one; the mark exists for the compiler alone. */
export type NewPet = PetDraft & { readonly [judged]: true }

/** A stored pet. Plain data, never judged again: a rule made tomorrow must not hide what was stored today. */
export interface Pet extends PetDraft {
  readonly id: PetId
}

/** The range of ids and category ids: signed integers of 64 bits. */
export const INT64: { readonly min: bigint; readonly max: bigint } = { min: -(2n ** 63n), max: 2n ** 63n - 1n }

/** Rules of a name, for whoever describes or generates names. `draftPet` applies them. */
export const PET_NAME: {
  /** Counted in Unicode code points, so that an emoji counts once. */
  readonly maxCodePoints: number
  /** At least one character that is not white space, as ECMAScript's `\s` has it. */
  readonly notBlank: RegExp
  /** U+0000 cannot be stored by every database; a lone surrogate cannot be sent as UTF-8. */
  readonly unstorable: RegExp
} = { maxCodePoints: 1000, notBlank: /\S/, unstorable: /[\0\p{Surrogate}]/u }

/** Applies every rule to a draft. Throws `pet_invalid` with the field and the rule in its message. */
export function draftPet(draft: PetDraft): NewPet {
  const { name, categoryId, status } = draft
  judgeName(name)
  if (typeof categoryId !== 'bigint' || categoryId < INT64.min || categoryId > INT64.max) {
    throw invalid(`categoryId must be an integer from ${INT64.min} to ${INT64.max}`)
  }
  if (status === undefined) return { name, categoryId } as NewPet
  if (!isPetStatus(status)) throw invalid(`status must be one of ${PET_STATUSES.join(', ')}`)
  return { name, categoryId, status } as NewPet
}

function judgeName(name: unknown): void {
  if (typeof name !== 'string') throw invalid('name must be a string')
  if (!PET_NAME.notBlank.test(name)) throw invalid('name must have a character that is not white space')
  if (PET_NAME.unstorable.test(name)) throw invalid('name must not contain NUL or a lone surrogate')
  // A code point takes one or two UTF-16 units, so most names need no counting.
  if (name.length > PET_NAME.maxCodePoints && [...name].length > PET_NAME.maxCodePoints) {
    throw invalid(`name must have at most ${PET_NAME.maxCodePoints} characters`)
  }
}

function invalid(message: string): PetError {
  return new PetError('pet_invalid', message)
}
