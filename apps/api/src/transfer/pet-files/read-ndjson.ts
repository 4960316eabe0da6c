import { parseExactFields } from '@pet-store/http-express'
import {
  type Entry,
  FILE_FIELDS,
  type FileValues,
  NEW_PET_FIELDS,
  quoted,
  validateEntry,
} from './entry.ts'
import { LINE_END } from './read-text.ts'

const FIELDS: readonly string[] = FILE_FIELDS.map(({ name }) => name)

/**
 * Reads one JSON object per line, as the service accepts and returns it. An `id` is ignored. Empty
 * lines are skipped.
 */
export async function* readNdjson(chunks: AsyncIterable<string>): AsyncGenerator<readonly Entry[]> {
  let line = 0
  for await (const chunk of chunks) {
    const entries: Entry[] = []
    for (const text of chunk.split(LINE_END).slice(0, -1)) {
      line += 1
      if (text.trim() !== '') entries.push(entryOf(line, text))
    }
    yield entries
  }
}

function entryOf(line: number, text: string): Entry {
  const invalid = (reason: string): Entry => ({ line, reason })
  let value: unknown
  try {
    value = parseExactFields(text)
  } catch {
    return invalid(isArrayStart(line, text) ? ONE_PER_LINE : `must be JSON, got ${quoted(text)}`)
  }
  if (Array.isArray(value)) return invalid(ONE_PER_LINE)
  if (!isObject(value)) return invalid(`must be a JSON object, got ${quoted(text)}`)
  // Unknown fields are rejected, so that the value of a misspelt one, such as `Status`, is not
  // lost.
  const unknown = Object.keys(value).find((field) => !FIELDS.includes(field))
  if (unknown !== undefined) return invalid(`has the unknown field ${quoted(unknown)}`)
  const pet: FileValues = {}
  for (const { name, isInteger } of NEW_PET_FIELDS)
    pet[name] = isInteger ? integerOf(value[name]) : value[name]
  return validateEntry(line, pet)
}

const ONE_PER_LINE =
  "is an array; write one pet per line without brackets and commas (jq -c '.[]' converts it)"

/** Whether a file is one JSON array on several lines. */
function isArrayStart(line: number, text: string): boolean {
  return line === 1 && text.trimStart().startsWith('[')
}

/** Whether a value is a plain object. A number that is no int64 is an instance of a class. */
function isObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  )
}

/** Small integers are parsed as numbers, large ones as bigints. */
function integerOf(value: unknown): unknown {
  return Number.isSafeInteger(value) ? BigInt(value as number) : value
}
