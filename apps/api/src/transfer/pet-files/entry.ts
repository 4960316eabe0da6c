import {
  isPetError,
  type NewPet,
  PET_FIELDS,
  type PetInput,
  validateNewPet,
} from '@pet-store/domain'

/** The fields that an import reads. An `id` is allowed but ignored: new pets get new ids. */
export const NEW_PET_FIELDS = Object.entries(PET_FIELDS).map(([name, field]) => ({
  ...field,
  name: name as keyof PetInput,
}))

/** Every field, in the order in which exports write them. */
export const FILE_FIELDS = [
  { name: 'id', isInteger: true, isRequired: false } as const,
  ...NEW_PET_FIELDS,
]

/** `line` is the number of the line on which the entry begins; the first line of a file is 1. */
export type ValidEntry = { readonly line: number; readonly pet: NewPet }
export type RejectedEntry = { readonly line: number; readonly reason: string }
/** One pet of a file, or the reason why it is invalid. */
export type Entry = ValidEntry | RejectedEntry

/**
 * Reads the entries of a text, many at a time. The text comes in chunks of whole lines. Throws
 * `UnreadableFileError` if nothing after some line can be read.
 */
export type ReadEntries = (text: AsyncIterable<string>) => AsyncGenerator<readonly Entry[]>

/** A file that cannot be read beyond some line. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError'
}

/** The values of a pet in a file, which may have any type; the domain validates them. */
export type FileValues = { -readonly [Field in keyof PetInput]?: unknown }

/**
 * Validates a pet by the rules of the domain, with its messages, which begin with the name of the
 * field.
 */
export function validateEntry(line: number, fields: FileValues): Entry {
  try {
    return { line, pet: validateNewPet(fields as PetInput) }
  } catch (error) {
    if (!isPetError(error)) throw error
    const [field = ''] = error.message.split(' ', 1)
    const value = fields[field as keyof PetInput]
    return {
      line,
      reason: value === undefined ? error.message : `${error.message}, got ${quoted(value)}`,
    }
  }
}

const MAX_QUOTED = 60

/** Shows a value in a message as it is in the file, so that people find it; shortens a long one. */
export function quoted(value: unknown): string {
  const text = textOf(value)
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text
}

/** The text of a value. A number that is no int64 was parsed to an object with its source text. */
function textOf(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'source' in value) return String(value.source)
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value)
}
