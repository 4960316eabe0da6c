import type { NewPet, Pet, PetId, PetQuery } from '@pet-store/domain'
import type { BulkAccess } from '@pet-store/persistence'
import { ID, IS_INTEGER } from './pet-fields.ts'

/** A database that gives pets. */
export type PetSource = Pick<BulkAccess, 'readPets'>

export const PET_LINE_FIELDS: readonly (keyof Pet)[] = ['id', 'name', 'categoryId', 'status']

const TAB = 9
const LINE_FEED = 10
const ABSENT = '\\N'

/** The number of pets in a page. */
const PETS = 5_000

/** What a page is asked for with. */
type PetLineQuery = Omit<PetQuery, 'limit'>

/** Returns a page of lines, by ascending id. No line is the end. */
async function readPetLines(from: PetSource, query: PetLineQuery): Promise<Uint8Array> {
  return linesOfPets(await from.readPets({ ...query, limit: PETS }))
}

/** Stores lines under the ids that they have. Rejects if one of the ids is taken. */
export async function writePetLines(to: Pick<BulkAccess, 'writePets'>, lines: Uint8Array): Promise<void> {
  return to.writePets(petsOfLines(lines))
}

/** Returns all lines, a page at a time. The next page is read while the caller works on this one. */
export async function* petLinePages(from: PetSource, query: PetLineQuery = {}): AsyncGenerator<Uint8Array> {
  let reading = readPetLines(from, query)
  try {
    for (let lines = await reading; lines.length > 0; lines = await reading) {
      reading = readPetLines(from, { ...query, after: lastIdOf(lines) })
      // It rejects for the next `await`.
      reading.catch(() => undefined)
      yield lines
    }
  } finally {
    // Nothing is read any more when the caller closes the database.
    await reading.catch(() => undefined)
  }
}

export function countLines(lines: Uint8Array): number {
  let count = 0
  for (let end = lines.indexOf(LINE_FEED); end !== -1; end = lines.indexOf(LINE_FEED, end + 1)) count += 1
  return count
}

/** The id of the last line, of which there must be one. */
export function lastIdOf(lines: Uint8Array): PetId {
  const start = lines.lastIndexOf(LINE_FEED, -2) + 1
  return BigInt(Buffer.from(lines.subarray(start, lines.indexOf(TAB, start))).toString())
}

/** Lines of pets, or of new pets, which have no id. */
export function linesOfPets(pets: readonly (NewPet | Pet)[], fields = PET_LINE_FIELDS): Buffer {
  return Buffer.from(lineTextOf(pets, fields))
}

/** The same as a string. */
export function lineTextOf(pets: readonly (NewPet | Pet)[], fields: readonly (keyof Pet)[]): string {
  let text = ''
  for (const pet of pets as readonly Pet[]) {
    for (let place = 0; place < fields.length; place += 1) {
      text += `${place === 0 ? '' : '\t'}${escaped(pet[fields[place] as keyof Pet])}`
    }
    text += '\n'
  }
  return text
}

export const NEW_PET_LINE_FIELDS = PET_LINE_FIELDS.filter((field) => field !== ID)

/** The pets of lines that a database has written. */
export function petsOfLines(lines: Uint8Array): Pet[] {
  return textsOf(lines).map((text) => {
    const values = text.split('\t')
    const pet: Record<string, unknown> = {}
    for (let place = 0; place < values.length; place += 1) {
      const [field, value] = [PET_LINE_FIELDS[place] as keyof Pet, values[place] as string]
      if (value !== ABSENT) pet[field] = IS_INTEGER[field] ? BigInt(value) : unescaped(value)
    }
    return pet as unknown as Pet
  })
}

/** How a page of the source differs from the pets of the target in the same range of ids. */
export interface PageComparison {
  /** Pets of the source. */
  readonly lines: Uint8Array
  readonly count: number
  /** Those of them that the target lacks. */
  readonly missing: Uint8Array
  readonly missingCount: number
  /** The ids of pets of the target that the source lacks or that differ. */
  readonly others: readonly string[]
}

const NONE = new Uint8Array()

/** Returns how far a page of the source and one of the target contain the same range of ids. Mostly either all pets are there, or none. */
export function endOfBoth(here: Uint8Array, there: Uint8Array): { readonly here: number; readonly there: number } {
  const shorter = Math.min(here.length, there.length)
  if (shorter === 0) return { here: here.length, there: there.length }
  const isSame = Buffer.compare(here.subarray(0, shorter), there.subarray(0, shorter)) === 0
  if (isSame) return { here: shorter, there: shorter }
  return { here: endOfId(here, lastIdOf(there)), there: endOfId(there, lastIdOf(here)) }
}

/** Returns the place after the lines up to an id. */
function endOfId(lines: Uint8Array, last: PetId): number {
  const texts = textsOf(lines)
  const after = texts.findIndex((line) => BigInt(idOf(line)) > last)
  return after === -1 ? lines.length : linesOf(texts.slice(0, after)).length
}

/** Compares pets of the source with those of the target in the same range of ids. */
export function comparePages(lines: Uint8Array, there: Uint8Array): PageComparison {
  const page = { lines, count: countLines(lines), missing: NONE, missingCount: 0, others: [] }
  if (there.length === 0) return { ...page, missing: lines, missingCount: page.count }
  if (Buffer.compare(lines, there) === 0) return page
  const [ofSource, ofTarget] = [textsOf(lines), textsOf(there)]
  const missing = without(ofSource, ofTarget)
  return {
    ...page,
    missing: linesOf(missing),
    missingCount: missing.length,
    others: without(ofTarget, ofSource).map(idOf),
  }
}

function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others)
  return lines.filter((line) => !known.has(line))
}

function idOf(line: string): string {
  return line.slice(0, line.indexOf('\t'))
}

/** Each line without its end. */
function textsOf(lines: Uint8Array): readonly string[] {
  return Buffer.from(lines.buffer, lines.byteOffset, lines.length).toString().split('\n').slice(0, -1)
}

/** The lines of such texts. */
function linesOf(texts: readonly string[]): Uint8Array {
  return Buffer.from(texts.map((text) => `${text}\n`).join(''))
}

const ESCAPES = { '\\': '\\', '\b': 'b', '\t': 't', '\n': 'n', '\v': 'v', '\f': 'f', '\r': 'r' } as const
const ESCAPED = Object.fromEntries(Object.entries(ESCAPES).map(([character, letter]) => [letter, character]))

const SPECIAL = /[\\\b\t\n\v\f\r]/
const SPECIALS = new RegExp(SPECIAL, 'g')

function escaped(value: Pet[keyof Pet]): string {
  if (typeof value !== 'string') return value === undefined ? ABSENT : String(value)
  return value.search(SPECIAL) === -1
    ? value
    : value.replaceAll(SPECIALS, (character) => `\\${ESCAPES[character as keyof typeof ESCAPES]}`)
}

/** Returns a buffer with the same beginning and room for more. */
export function withRoom(buffer: Buffer, length: number, room: number): Buffer {
  if (length + room <= buffer.length) return buffer
  const larger = Buffer.allocUnsafe(2 * (length + room))
  buffer.copy(larger, 0, 0, length)
  return larger
}

/** The opposite, for a text of one field. */
export function unescaped(text: string): string {
  return text.includes('\\') ? text.replace(/\\(.)/g, (_, letter: string) => ESCAPED[letter] ?? letter) : text
}
