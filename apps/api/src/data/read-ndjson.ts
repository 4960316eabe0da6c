import { parseExactJson } from '@pet-store/http-express'
import { type Entry, type EntryReader, judge } from './entry.ts'

const FIELDS = ['name', 'categoryId', 'status', 'id']

/** Reads one JSON object a line, as the service takes and gives it; an `id` is allowed and means nothing. Empty lines are passed over. */
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
  const refused = (reason: string): Entry => ({ line, lastLine: line, reason })
  const value = parse(text)
  if (value === undefined) return refused('must be JSON')
  if (!isObject(value)) return refused('must be a JSON object')
  // A slip such as `Status` must not lose what was said.
  const unknown = Object.keys(value).find((field) => !FIELDS.includes(field))
  if (unknown !== undefined) return refused(`has the unknown field ${JSON.stringify(unknown.slice(0, 60))}`)
  const { name, categoryId, status } = value
  return judge(line, line, { name, categoryId: exact(categoryId), status })
}

function parse(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return undefined
  }
}

/** A plain object; a number that is no int64 comes as an instance of a class. */
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

/** Small integers come as numbers, large ones as bigints. */
function exact(value: unknown): unknown {
  return Number.isSafeInteger(value) ? BigInt(value as number) : value
}
