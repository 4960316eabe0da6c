import type { Pet, PetInput } from '@pet-store/domain'

/** How one field of a pet stands in files. */
interface FieldFormat<Value> {
  /** Whether every pet has it. */
  readonly isRequired: boolean
  /** The value as JSON text. */
  toJson(value: Value): string
  /** The value as the text of a CSV value, without quotes. */
  toCsv(value: Value): string
  /** What a parsed JSON value means; the domain validates it. */
  fromJson(value: unknown): unknown
  /** What the text of a CSV value means; the domain validates it. */
  fromCsv(text: string): unknown
}

type Formats = { readonly [Field in keyof PetInput]-?: FieldFormat<Exclude<PetInput[Field], undefined>> }

/** Every field of a pet, in the order in which files have them. A field that is missing here does not compile. */
const FORMATS = {
  name: { isRequired: true, toJson: JSON.stringify, toCsv: String, fromJson: asIs, fromCsv: asIs },
  categoryId: { isRequired: true, toJson: String, toCsv: String, fromJson: exactInteger, fromCsv: integerIn },
  status: { isRequired: false, toJson: JSON.stringify, toCsv: String, fromJson: asIs, fromCsv: textOrNothing },
} satisfies Formats

/** One field with its name. */
export interface PetField extends FieldFormat<unknown> {
  readonly name: keyof PetInput
}

export const PET_FIELDS: readonly PetField[] = Object.entries(FORMATS).map(([name, format]) => ({
  ...(format as FieldFormat<unknown>),
  name: name as keyof PetInput,
}))

/** What a file may say about a pet besides its fields. It is read over: new pets get new ids. */
export const ID = 'id'

/** A pet as one line of JSON, without its id. Absent fields are left out. */
export function petJson(pet: Omit<Pet, 'id'>, before = ''): string {
  let text = before
  for (const { name, toJson } of PET_FIELDS) {
    const value = pet[name]
    if (value !== undefined) text += `${text === '' ? '' : ','}"${name}":${toJson(value)}`
  }
  return `{${text}}`
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
