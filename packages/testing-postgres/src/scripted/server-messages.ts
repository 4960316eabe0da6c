/** The fields of an error or a notice (PostgreSQL manual, 55.8). */
export interface ErrorFields {
  /** In the language of the server, such as ERROR, PANIC or ОШИБКА. */
  readonly severity: string
  /** The SQLSTATE. */
  readonly code: string
  readonly message: string
}

/** A column of a result. */
export interface ResultColumn {
  readonly name: string
  /** The object id of its type. */
  readonly type: number
}

/** Makes the bytes of the messages that a PostgreSQL server sends. */
export const serverMessages = {
  authenticationOk: (): Buffer => message('R', int32(0)),
  parameterStatus: (name: string, value: string): Buffer => message('S', text(name), text(value)),
  backendKeyData: (process: number, secret: number): Buffer =>
    message('K', int32(process), int32(secret)),
  /** `I` outside of a transaction, `T` in one, `E` in one that has failed. */
  readyForQuery: (state: 'I' | 'T' | 'E'): Buffer => message('Z', Buffer.from(state)),
  parseComplete: (): Buffer => message('1'),
  bindComplete: (): Buffer => message('2'),
  closeComplete: (): Buffer => message('3'),
  noData: (): Buffer => message('n'),
  emptyQuery: (): Buffer => message('I'),
  parameterDescription: (types: readonly number[]): Buffer =>
    message('t', int16(types.length), ...types.map(int32)),
  rowDescription: (columns: readonly ResultColumn[]): Buffer =>
    message('T', int16(columns.length), ...columns.map(columnBytes)),
  dataRow: (values: readonly (string | null)[]): Buffer =>
    message('D', int16(values.length), ...values.map(valueBytes)),
  commandComplete: (tag: string): Buffer => message('C', text(tag)),
  error: (fields: ErrorFields): Buffer => message('E', errorBytes(fields)),
  notice: (fields: ErrorFields): Buffer => message('N', errorBytes(fields)),
}

function message(type: string, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
}

function columnBytes({ name, type }: ResultColumn): Buffer {
  // Table and column, type, its size, its modifier, and the format: text.
  return Buffer.concat([
    text(name),
    int32(0),
    int16(0),
    int32(type),
    int16(-1),
    int32(-1),
    int16(0),
  ])
}

function valueBytes(value: string | null): Buffer {
  if (value === null) return int32(-1)
  const bytes = Buffer.from(value)
  return Buffer.concat([int32(bytes.length), bytes])
}

function errorBytes({ severity, code, message }: ErrorFields): Buffer {
  // The field V, which is never translated, is left out, because the driver does not read it.
  const fields = { S: severity, C: code, M: message }
  const parts = Object.entries(fields).map(([letter, value]) => text(`${letter}${value}`))
  return Buffer.concat([...parts, Buffer.from([0])])
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`)
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
