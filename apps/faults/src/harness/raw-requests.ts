import { type Random, requestBytes } from '@pet-store/testing'

/** One of the requests that are written to a connection. It may be invalid. */
export interface RawRequest {
  /** The kind of request, for people who read a failure. */
  readonly kind: string
  readonly bytes: Buffer
  /**
   * The statuses that its response may have. `broken`: 400 to 501 with `Connection: close`; `any`:
   * any status, also of all later requests of the connection.
   */
  readonly expected: readonly number[] | 'broken' | 'any'
  /** The X-Request-Id that the response must repeat; absent if the server cannot read it. */
  readonly requestId?: string
  /** The unique name of the pet that it creates. */
  readonly name?: string
  /** Whether the server waits for more bytes, so that only the end of the connection ends it. */
  readonly isIncomplete?: boolean
}

interface Context {
  readonly key: string
  readonly id: string
  readonly random: Random
}

type Make = (context: Context) => RawRequest

/** A POST of a pet with this name. */
function post(
  { key, id }: Context,
  headers: Record<string, string> = {},
  body = petBody(id),
): string {
  return requestBytes({
    method: 'POST',
    path: '/v1/pets',
    key,
    body,
    headers: { 'X-Request-Id': id, ...headers },
  })
}

function petBody(name: string): string {
  return JSON.stringify({ name, categoryId: 1, status: 'available' })
}

/** The same POST in chunked transfer coding, with chunks that may be invalid. */
function chunkedPost({ key, id }: Context, chunks: (body: string) => string): string {
  const head = requestBytes({
    method: 'POST',
    path: '/v1/pets',
    key,
    headers: {
      'X-Request-Id': id,
      'Content-Type': 'application/json',
      'Transfer-Encoding': 'chunked',
    },
  })
  return head + chunks(petBody(id))
}

function wellFormed(
  kind: string,
  expected: readonly number[],
  make: (context: Context) => string,
  stores = false,
): Make {
  return (context) => ({
    kind,
    bytes: Buffer.from(make(context), 'latin1'),
    expected,
    requestId: context.id,
    ...(stores && { name: context.id }),
  })
}

function broken(kind: string, make: (context: Context) => string, isIncomplete = false): Make {
  return (context) => ({
    kind,
    bytes: Buffer.from(make(context), 'latin1'),
    expected: 'broken',
    name: context.id,
    isIncomplete,
  })
}

const get = ({ key, id }: Context, path: string, method = 'GET', headers = {}): string =>
  requestBytes({ method, path, key, headers: { 'X-Request-Id': id, ...headers } })

const WELL_FORMED: readonly Make[] = [
  ...Array.from({ length: 6 }, () => wellFormed('create', [201], (context) => post(context), true)),
  wellFormed(
    'create in chunks',
    [201],
    (context) =>
      chunkedPost(
        context,
        (body) =>
          `5\r\n${body.slice(0, 5)}\r\n` +
          `${(body.length - 5).toString(16)}\r\n${body.slice(5)}\r\n0\r\n\r\n`,
      ),
    true,
  ),
  wellFormed('create and close', [201], (context) => post(context, { Connection: 'close' }), true),
  wellFormed(
    'create with key',
    [201],
    (context) => post(context, { 'Idempotency-Key': context.id }),
    true,
  ),
  wellFormed('list', [200], (context) => get(context, '/v1/pets?limit=3')),
  wellFormed('get', [200, 404], (context) => get(context, '/v1/pets/1')),
  wellFormed('bad limit', [400], (context) => get(context, '/v1/pets?limit=0')),
  wellFormed('unknown path', [404], (context) => get(context, '/v1/orders')),
  wellFormed('bad method', [405], (context) => get(context, '/v1/pets', 'DELETE')),
  wellFormed('unknown key', [401, 429], (context) => get({ ...context, key: 'none' }, '/v1/pets')),
  wellFormed('body with an unknown key', [401, 429], (context) =>
    post({ ...context, key: 'none' }),
  ),
  wellFormed('body to an unknown path', [404], (context) =>
    post(context).replace('/v1/pets', '/v1/dogs'),
  ),
  wellFormed('body to a bad method', [405], (context) => post(context).replace('POST', 'PATCH')),
  wellFormed('invalid pet', [400], (context) => post(context, {}, '{"name":""}')),
  wellFormed('invalid JSON', [400], (context) => post(context, {}, '{"name":')),
  wellFormed('other content type', [415], (context) =>
    post(context, { 'Content-Type': 'text/plain' }),
  ),
  wellFormed('bad idempotency key', [400], (context) => post(context, { 'Idempotency-Key': '' })),
  wellFormed('unknown expectation', [417], (context) =>
    get(context, '/v1/pets', 'GET', { Expect: 'pigs-to-fly' }),
  ),
  wellFormed('no host', [400], (context) =>
    get(context, '/v1/pets').replace('Host: 127.0.0.1\r\n', ''),
  ),
]

const BROKEN: readonly Make[] = [
  broken('bad chunk size', (context) => chunkedPost(context, () => 'zz\r\n{}\r\n0\r\n\r\n')),
  broken('bad end of chunk', (context) =>
    chunkedPost(context, (body) => `${body.length.toString(16)}\r\n${body}XX0\r\n\r\n`),
  ),
  broken('bad request line', () => 'GARBAGE\r\n\r\n'),
  broken('no version', () => 'GET /v1/pets\r\n\r\n'),
  broken('header without colon', (context) =>
    get(context, '/v1/pets').replace('\r\n\r\n', '\r\nbroken\r\n\r\n'),
  ),
  broken('NUL in a header', (context) => get(context, '/v1/pets', 'GET', { 'X-Odd': 'a\0b' })),
  broken('two lengths', (context) => post(context, { 'content-length': '3' })),
  broken('length and chunks', (context) => post(context, { 'Transfer-Encoding': 'chunked' })),
  broken('length of letters', (context) => post(context, { 'Content-Length': 'ten' })),
  broken('long headers', (context) =>
    get(context, '/v1/pets', 'GET', { 'X-Long': 'x'.repeat(20_000) }),
  ),
  broken('other transfer coding', (context) =>
    post(context, { 'Transfer-Encoding': 'gzip, chunked' }),
  ),
  broken('half a body', (context) => post(context).slice(0, -4), true),
  broken('half a head', (context) => get(context, '/v1/pets').slice(0, -2), true),
]

/**
 * A creation with one byte of its head changed. It may get any response, but must not make the
 * service say anything wrong.
 */
const mutated: Make = (context) => {
  const text = post(context)
  const bytes = Buffer.from(text, 'latin1')
  bytes[context.random.integer(0, text.indexOf('\r\n\r\n') + 3)] = context.random.integer(0, 255)
  return { kind: 'one byte changed', bytes, expected: 'any', name: context.id, isIncomplete: true }
}

/**
 * Makes the requests of one connection. An incomplete request is the last one, because further
 * bytes would be a part of it.
 */
export function rawRequests(
  random: Random,
  key: string,
  connection: number,
): readonly RawRequest[] {
  const requests: RawRequest[] = []
  const count = random.integer(1, 6)
  while (requests.length < count && requests.at(-1)?.isIncomplete !== true) {
    const make = pickMaker(random)
    requests.push(make({ key, id: `c${connection}-${requests.length}`, random }))
  }
  return requests
}

function pickMaker(random: Random) {
  const choice = random.integer(1, 10)
  if (choice <= 7) return random.pick(WELL_FORMED)
  return choice <= 9 ? random.pick(BROKEN) : mutated
}
