import { isPetError, type NewPet, type PetInput, validateNewPet } from '@pet-store/domain'

/** One pet of a file, or the reason why it is invalid. */
export type Entry = {
  /** The line where it begins; the first line of a file is 1. */
  readonly line: number
  /** The line where it ends: a quoted value may have line breaks. */
  readonly lastLine: number
} & ({ readonly pet: NewPet } | { readonly reason: string })

/** Turns the lines of one file into entries. Throws `BrokenFile` if nothing after some line can be read. */
export interface EntryReader {
  /** Returns the entries that end in these lines. The lines have no line feed. */
  read(lines: readonly string[]): readonly Entry[]
  /** Ends the file. */
  end(): void
}

/** A file that cannot be read beyond some line. */
export class BrokenFile extends Error {
  override readonly name = 'BrokenFile'

  constructor(line: number, reason: string) {
    super(`Line ${line} ${reason}.`)
  }
}

/** What a file says about a pet: values of any type, for the domain to validate. */
export type FileFields = { readonly [Field in keyof PetInput]?: unknown }

/** Validates a pet by the rules of the domain, with its messages. */
export function validateEntry(line: number, lastLine: number, fields: FileFields): Entry {
  try {
    return { line, lastLine, pet: validateNewPet(fields as PetInput) }
  } catch (error) {
    if (!isPetError(error)) throw error
    return { line, lastLine, reason: error.message }
  }
}
