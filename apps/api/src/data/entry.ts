import { isPetError, type NewPet, type PetInput, validateNewPet } from '@pet-store/domain'

/** What stands in a file for one pet: the pet, or the reason why it is none. */
export type Entry = {
  /** Where it begins; the first line of a file is 1. */
  readonly line: number
  /** Where it ends: a value in quotes may have line breaks. */
  readonly lastLine: number
} & ({ readonly pet: NewPet } | { readonly reason: string })

/** Makes entries of the lines of one file. Throws `BrokenFile` where nothing can be made of what follows. */
export interface EntryReader {
  /** What became complete with these lines; each is without its line feed. */
  read(lines: readonly string[]): readonly Entry[]
  /** Says that there are no more lines. */
  end(): void
}

/** A file that cannot be read on from some line. */
export class BrokenFile extends Error {
  override readonly name = 'BrokenFile'

  constructor(line: number, fault: string) {
    super(`Line ${line} ${fault}.`)
  }
}

/** What a file says about a pet; of whatever type, for the domain to judge. */
type Said = { readonly [Field in keyof PetInput]: unknown }

/** The one door for new pets, with its own words for what it refuses. */
export function judge(line: number, lastLine: number, said: Said): Entry {
  try {
    return { line, lastLine, pet: validateNewPet(said as PetInput) }
  } catch (error) {
    if (!isPetError(error)) throw error
    return { line, lastLine, reason: error.message }
  }
}
