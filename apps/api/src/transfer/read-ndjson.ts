import { parseExactJson } from '@pet-store/http-express'
import { type Entry, type EntryReader, validateEntry } from './entry.ts'
import { ID, IS_INTEGER, PET_FIELDS, type PetField } from './pet-fields.ts'

const PLAIN_TEXT = '"([^"\\\\\\0-\\x1f]+)"'
const ESCAPED_TEXT = '"([^"\\\\\\0-\\x1f]*(?:\\\\["\\\\][^"\\\\\\0-\\x1f]*)*)"'
const ESCAPE = /\\(.)/g

const FIELDS: readonly string[] = [...PET_FIELDS.map(({ name }) => name), ID]

/**
 * A line as an export writes it, with quotes and backslashes as the only escapes, and no rounded integer: most lines are.
 * To match it takes a fraction of the time of `JSON.parse`, and its values mean the same as those of CSV. A line that does
 * not match is not invalid.
 */
const PLAIN_LINE = new RegExp(`^\\{(?:"${ID}":-?(?:0|[1-9][0-9]*),)?${PET_FIELDS.map(plainField).join('')}\\}\\r?$`)

function plainField({ name, isRequired }: PetField, place: number): string {
  const value = IS_INTEGER[name] ? '(0|-?[1-9][0-9]{0,17})' : isRequired ? ESCAPED_TEXT : PLAIN_TEXT
  const field = `${place === 0 ? '' : ','}"${name}":${value}`
  return isRequired ? field : `(?:${field})?`
}

/** Reads one JSON object per line, as the service accepts and returns it. An `id` is allowed and not used. Empty lines are skipped. */
export function createNdjsonReader(): EntryReader {
  let line = 0
  return {
    read(lines) {
      const entries: Entry[] = []
      for (const text of lines) {
        line += 1
        if (text !== '' && text !== '\r') entries.push(entryOf(line, text))
      }
      return entries
    },
    end() {},
  }
}

function entryOf(line: number, text: string): Entry {
  const plain = PLAIN_LINE.exec(text)
  if (plain === null) return parsedEntryOf(line, text)
  const pet: Record<string, unknown> = {}
  for (let place = 0; place < PET_FIELDS.length; place += 1) {
    const { name, fromCsv } = PET_FIELDS[place] as PetField
    const text = plain[place + 1] ?? ''
    pet[name] = fromCsv(text.includes('\\') ? text.replace(ESCAPE, '$1') : text)
  }
  return validateEntry(line, line, pet)
}

function parsedEntryOf(line: number, text: string): Entry {
  const invalid = (reason: string): Entry => ({ line, lastLine: line, reason })
  const value = parse(text)
  if (value === undefined) return invalid('must be JSON')
  if (!isObject(value)) return invalid('must be a JSON object')
  // A mistake such as `Status` must not lose the value.
  const unknown = Object.keys(value).find((field) => !FIELDS.includes(field))
  if (unknown !== undefined) return invalid(`has the unknown field ${JSON.stringify(unknown.slice(0, 60))}`)
  const pet: Record<string, unknown> = {}
  for (const { name, fromJson } of PET_FIELDS) pet[name] = fromJson(value[name])
  return validateEntry(line, line, pet)
}

function parse(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return undefined
  }
}

/** A plain object; a number that is no int64 is an instance of a class. */
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
