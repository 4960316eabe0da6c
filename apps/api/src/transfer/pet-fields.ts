import type { Pet, PetInput } from '@pet-store/domain'

/** How one field of a pet stands in files. */
interface FieldFormat {
  /** Whether every pet has it. */
  readonly isRequired: boolean
  /** What a parsed JSON value means; the domain validates it. */
  fromJson(value: unknown): unknown
  /** What the text of a CSV value means; the domain validates it. */
  fromCsv(text: string): unknown
}

/** Every field of a pet, in the order in which files have them. A field that is missing here does not compile. */
const FORMATS = {
  name: { isRequired: true, fromJson: asIs, fromCsv: asIs },
  categoryId: { isRequired: true, fromJson: exactInteger, fromCsv: integerIn },
  status: { isRequired: false, fromJson: asIs, fromCsv: textOrNothing },
} satisfies Record<keyof PetInput, FieldFormat>

/** One field with its name. */
export interface PetField extends FieldFormat {
  readonly name: keyof PetInput
}

export const PET_FIELDS: readonly PetField[] = Object.entries(FORMATS).map(([name, format]) => ({
  ...format,
  name: name as keyof PetInput,
}))

/** What a file may say about a pet besides its fields. It is read over: new pets get new ids. */
export const ID = 'id'

/** Whether a field is an integer, which files have without quotes, or text. */
export const IS_INTEGER: Readonly<Record<keyof Pet, boolean>> = {
  id: true,
  name: false,
  categoryId: true,
  status: false,
}

function asIs(value: unknown): unknown {
  return value
}

/** Small integers are parsed as numbers, large ones as bigints. */
function exactInteger(value: unknown): unknown {
  return Number.isSafeInteger(value) ? BigInt(value as number) : value
}

function integerIn(text: string): unknown {
  return /^(?:0|-?[1-9][0-9]{0,18})$/.test(text) ? BigInt(text) : text
}

/** An empty value is how CSV leaves a field out. */
function textOrNothing(text: string): unknown {
  return text === '' ? undefined : text
}
