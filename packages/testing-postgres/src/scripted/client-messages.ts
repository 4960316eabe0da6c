/** A message of a client of PostgreSQL. */
export type ClientMessage =
  | { readonly type: 'startup'; readonly parameters: Readonly<Record<string, string>> }
  | { readonly type: 'ssl-request' | 'cancel-request' | 'sync' | 'flush' | 'terminate' }
  | { readonly type: 'query'; readonly sql: string }
  | { readonly type: 'parse'; readonly name: string; readonly sql: string }
  | {
      readonly type: 'bind'
      readonly portal: string
      readonly statement: string
      readonly values: readonly (string | null)[]
    }
  | { readonly type: 'describe' | 'close'; readonly of: 'S' | 'P'; readonly name: string }
  | { readonly type: 'execute'; readonly portal: string; readonly maxRows: number }

const SSL_REQUEST = 80_877_103
const CANCEL_REQUEST = 80_877_102

/** Reads the messages of a client from the chunks in which they arrive. */
export class ClientMessages {
  #received: Buffer = Buffer.alloc(0)
  #hasStarted = false

  /** Adds a chunk, and returns the messages that are complete with it. */
  take(chunk: Buffer): readonly ClientMessage[] {
    this.#received = Buffer.concat([this.#received, chunk])
    const messages: ClientMessage[] = []
    for (;;) {
      const message = this.#next()
      if (message === undefined) return messages
      messages.push(message)
    }
  }

  #next(): ClientMessage | undefined {
    // Until a session has started, messages have no type.
    const typeBytes = this.#hasStarted ? 1 : 0
    if (this.#received.length < typeBytes + 4) return undefined
    const length = typeBytes + this.#received.readInt32BE(typeBytes)
    if (this.#received.length < length) return undefined
    const body = new Reader(this.#received.subarray(typeBytes + 4, length))
    const type = String.fromCharCode(this.#received[0] as number)
    this.#received = this.#received.subarray(length)
    return this.#hasStarted ? messageOf(type, body) : this.#startup(body)
  }

  #startup(body: Reader): ClientMessage {
    const version = body.int32()
    if (version === SSL_REQUEST) return { type: 'ssl-request' }
    if (version === CANCEL_REQUEST) return { type: 'cancel-request' }
    this.#hasStarted = true
    const parameters: Record<string, string> = {}
    for (let name = body.text(); name !== ''; name = body.text()) parameters[name] = body.text()
    return { type: 'startup', parameters }
  }
}

function messageOf(type: string, body: Reader): ClientMessage {
  switch (type) {
    case 'Q':
      return { type: 'query', sql: body.text() }
    case 'P':
      return { type: 'parse', name: body.text(), sql: body.text() }
    case 'B':
      return bindOf(body)
    case 'D':
      return { type: 'describe', of: body.letter() as 'S' | 'P', name: body.text() }
    case 'C':
      return { type: 'close', of: body.letter() as 'S' | 'P', name: body.text() }
    case 'E':
      return { type: 'execute', portal: body.text(), maxRows: body.int32() }
    case 'S':
      return { type: 'sync' }
    case 'H':
      return { type: 'flush' }
    case 'X':
      return { type: 'terminate' }
    default:
      throw new Error(`The scripted server does not know the message ${JSON.stringify(type)}.`)
  }
}

function bindOf(body: Reader): ClientMessage {
  const portal = body.text()
  const statement = body.text()
  assertTextFormats(body)
  const values = Array.from({ length: body.int16() }, () => body.value())
  assertTextFormats(body)
  return { type: 'bind', portal, statement, values }
}

/**
 * Asserts that all formats are text. The adapter uses no other, and a test must notice if it does.
 */
function assertTextFormats(body: Reader): void {
  for (let left = body.int16(); left > 0; left -= 1)
    if (body.int16() !== 0) throw new Error('The scripted server knows no binary format.')
}

class Reader {
  readonly #bytes: Buffer
  #position = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  letter(): string {
    this.#position += 1
    return String.fromCharCode(this.#bytes[this.#position - 1] as number)
  }

  int16(): number {
    this.#position += 2
    return this.#bytes.readInt16BE(this.#position - 2)
  }

  int32(): number {
    this.#position += 4
    return this.#bytes.readInt32BE(this.#position - 4)
  }

  /** A text that ends with a zero byte. */
  text(): string {
    const end = this.#bytes.indexOf(0, this.#position)
    const text = this.#bytes.toString('utf8', this.#position, end)
    this.#position = end + 1
    return text
  }

  /** A value, which is preceded by its length. */
  value(): string | null {
    const length = this.int32()
    if (length === -1) return null
    this.#position += length
    return this.#bytes.toString('utf8', this.#position - length, this.#position)
  }
}
