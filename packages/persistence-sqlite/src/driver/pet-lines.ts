import { INT64, type PetQuery } from '@pet-store/domain'
import type { SqlValue, TableColumns } from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'

/** The escapes of lines, as SQLite names the characters. The backslash comes first: the others add some. */
const ESCAPES: readonly (readonly [code: number, escape: string])[] = [
  [92, '\\\\'],
  [8, '\\b'],
  [9, '\\t'],
  [10, '\\n'],
  [11, '\\v'],
  [12, '\\f'],
  [13, '\\r'],
]

/** More lines at once are read no faster. */
const MAX_LINES = 5_000

/**
 * Prepares reading pets as lines of text, which SQLite makes itself: to fetch the values through the driver takes five
 * times as long. Hardly any name has a character to escape, so that is done only for pages that have one.
 */
export function preparePetLines(database: Database, { table, columns }: TableColumns): (query: PetQuery) => Uint8Array {
  const prepare = (condition: string, textOf: (name: string) => string) => {
    const texts = columns.map(({ name, isInteger }) => (isInteger ? name : `coalesce(${textOf(name)}, '\\N')`))
    const absent = columns.map(({ name }) => `(${name} is null)`).join(' + ')
    return database
      .prepare<[object], [lines: string | null, plain: number]>(
        `select group_concat(line, '' order by id), sum(${columns.length} + absent) from (
          select id, concat_ws(char(9), ${texts.join(', ')}) || char(10) as line, ${absent} as absent
          from ${table} where id >= @from ${condition} order by id limit @limit)`,
      )
      .raw()
  }
  const prepareBoth = (condition: string) => ({
    unescaped: prepare(condition, (name) => name),
    escaped: prepare(condition, escaped),
  })
  // Two pages take turns in the same memory, because V8 would collect that of buffers, which SQLite could return as well,
  // much later than texts.
  let [memory, other] = [Buffer.alloc(0), Buffer.alloc(0)]
  const toBytes = (text: string) => {
    const length = Buffer.byteLength(text)
    if (length > memory.length) memory = Buffer.allocUnsafeSlow(length)
    return memory.subarray(0, memory.write(text))
  }
  const [all, withStatus] = [prepareBoth(''), prepareBoth('and status = @status')]

  return ({ after, status, limit }) => {
    if (after !== undefined && after >= INT64.max) return Buffer.alloc(0)
    const from = after === undefined || after < INT64.min ? INT64.min : after + 1n
    const values = { from, status, limit: Math.min(limit, MAX_LINES) }
    const statements = status === undefined ? all : withStatus
    const [text, plain] = statements.unescaped.get(values) ?? []
    if (!text) return Buffer.alloc(0)
    ;[memory, other] = [other, memory]
    const lines = toBytes(text)
    return specialCharactersIn(lines) === plain ? lines : toBytes(statements.escaped.get(values)?.[0] ?? '')
  }
}

function escaped(name: string): string {
  return ESCAPES.reduce((sql, [code, text]) => `replace(${sql}, char(${code}), '${text}')`, name)
}

/** Counts the separators, the backslashes of absent values, and what should have been escaped. */
function specialCharactersIn(lines: Buffer): number {
  let count = 0
  for (let place = 0; place < lines.length; place += 1) {
    const byte = lines[place] as number
    if (byte < 14 ? byte > 7 : byte === 92) count += 1
  }
  return count
}

const TAB = '\t'
const LINE_FEED = 10
const ABSENT = '\\N'
/** What is turned into strings at once, so that V8 frees them soon. */
const PART_BYTES = 64 * 1024

/** Returns the values of lines. Integers stay digits: the table is strict, so SQLite stores them as integers, exactly. */
export function* rowsOfLines(lines: Uint8Array): Generator<readonly SqlValue[]> {
  const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.length)
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, start + PART_BYTES)
    const text = bytes.toString('utf8', start, end === -1 ? bytes.length - 1 : end)
    for (const line of text.split('\n')) yield line.includes('\\') ? line.split(TAB).map(unescaped) : line.split(TAB)
    start = end === -1 ? bytes.length : end + 1
  }
}

const CHARACTERS = new Map(ESCAPES.map(([code, text]) => [text, String.fromCodePoint(code)]))

function unescaped(value: string): string | null {
  if (value === ABSENT) return null
  return value.includes('\\') ? value.replace(/\\./g, (text) => CHARACTERS.get(text) ?? text) : value
}
