/** Whether a pet can be had. */
export type PetStatus = 'available' | 'pending' | 'sold'

/** A pet to be added. */
export interface NewPet {
  readonly name: string
  /** Any integer of 64 bits; a `number` only where it is a safe integer, so that nothing is rounded. */
  readonly categoryId: bigint | number
  /** Left out when nobody said; that is not the same as any of the statuses. */
  readonly status?: PetStatus | undefined
}

/** A pet as the service returns it. Its integers are exact. */
export interface Pet {
  readonly id: bigint
  readonly name: string
  readonly categoryId: bigint
  /** There is no such key where nobody gave a status. */
  readonly status?: PetStatus
}

/** The body of a creation. Written by hand, since not every browser has a way to put a `bigint` into JSON. */
export function newPetText({ name, categoryId, status }: NewPet): string {
  // A name that somebody without types forgot is left out, so that the service can say so.
  const fields: readonly [string, string | undefined][] = [
    ['name', JSON.stringify(name)],
    ['categoryId', integerText('categoryId', categoryId)],
    ['status', JSON.stringify(status)],
  ]
  return `{${fields.flatMap(([field, text]) => (text === undefined ? [] : `"${field}":${text}`)).join()}}`
}

/** An integer in digits. Throws a `RangeError` for a number that may be another one than was meant. */
export function integerText(what: string, value: bigint | number): string {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return BigInt(value).toString()
  throw new RangeError(`${what} must be a bigint or a safe integer, got ${String(value)}.`)
}

/** Reads a pet. Throws where the text is not one. */
export function readPet(text: string): Pet {
  return petOf(parseWithDigits(text))
}

/** Reads a list of pets. Throws where the text is not one. */
export function readPets(text: string): Pet[] {
  const body = parseWithDigits(text)
  if (!Array.isArray(body)) throw new TypeError('The list is not an array.')
  return body.map(petOf)
}

function petOf(body: unknown): Pet {
  const { id, name, categoryId, status } = Object(body) as Record<string, unknown>
  if (typeof name !== 'string') throw new TypeError('name is not a string.')
  if (status !== undefined && typeof status !== 'string') throw new TypeError('status is not a string.')
  return {
    id: exactInteger('id', id),
    name,
    categoryId: exactInteger('categoryId', categoryId),
    ...(status !== undefined && { status: status as PetStatus }),
  }
}

/** A JSON number, with its digits where this engine passes them on. */
class JsonNumber {
  readonly value: number
  readonly digits: string | undefined

  constructor(value: number, digits: string | undefined) {
    this.value = value
    this.digits = digits
  }
}

function parseWithDigits(text: string): unknown {
  return JSON.parse(text, keepDigits)
}

// TypeScript's library does not declare the third parameter; Chrome has it from 114, Firefox from 135, Safari from 18.4.
function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? new JsonNumber(value, context?.source) : value
}

function exactInteger(what: string, value: unknown): bigint {
  if (!(value instanceof JsonNumber)) throw new TypeError(`${what} is not a number.`)
  // A safe integer was not rounded, and so needs no digits. `BigInt` refuses digits with a fraction.
  if (Number.isSafeInteger(value.value)) return BigInt(value.value)
  if (value.digits !== undefined) return BigInt(value.digits)
  throw new RangeError(`${what} is beyond 2^53, and this browser is too old to read it exactly.`)
}
