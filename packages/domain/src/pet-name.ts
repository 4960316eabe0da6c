import { PetError } from './pet-error.ts'

/**
 * The rules for names, for code that describes or generates names. `validateNewPet` applies them.
 */
export const PET_NAME: {
  /** Counted in Unicode code points, so that an emoji counts once. */
  readonly maxCodePoints: number
  /** At least one character that is not white space, as ECMAScript's `\s` has it. */
  readonly notBlank: RegExp
  /** U+0000 cannot be stored by every database; a lone surrogate cannot be sent as UTF-8. */
  readonly unstorable: RegExp
} = { maxCodePoints: 1000, notBlank: /\S/, unstorable: /[\0\p{Surrogate}]/u }

/** Throws `pet_invalid` with the rule that a name breaks. */
export function validateName(name: unknown): void {
  if (typeof name !== 'string') throw invalid('name must be a string')
  if (!PET_NAME.notBlank.test(name))
    throw invalid('name must have a character that is not white space')
  if (PET_NAME.unstorable.test(name)) throw invalid('name must not contain NUL or a lone surrogate')
  // A code point takes one or two UTF-16 units, so most names need no counting.
  if (name.length > PET_NAME.maxCodePoints && [...name].length > PET_NAME.maxCodePoints) {
    throw invalid(`name must have at most ${PET_NAME.maxCodePoints} characters`)
  }
}

function invalid(message: string): PetError {
  return new PetError('pet_invalid', message)
}
