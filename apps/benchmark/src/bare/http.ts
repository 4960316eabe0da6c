import { hash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { DataPet as Row } from '../requests/data-set.ts'

type Awaitable<T> = T | Promise<T>

/** The statements that a bare server runs. */
export interface Statements {
  list(limit: number): Awaitable<Row[]>
  listAfter(after: number, limit: number): Awaitable<Row[]>
  listWithStatus(status: string, limit: number): Awaitable<Row[]>
  get(id: number): Awaitable<Row | undefined>
  add(name: string, categoryId: number, status: string | null): Awaitable<Row>
}

/** What our service sends with every response. */
const HEADERS = [
  ...[
    'Cache-Control',
    'no-store',
    'content-security-policy',
    "default-src 'none';frame-ancestors 'none'",
  ],
  ...[
    'referrer-policy',
    'no-referrer',
    'x-content-type-options',
    'nosniff',
    'Content-Type',
    'application/json',
  ],
]
const GET_HEADERS = [
  ...['Deprecation', '@1795219200', 'Sunset', 'Thu, 05 Dec 2030 23:59:59 GMT'],
  ...['Link', '<../../docs>; rel="deprecation"; type="text/html"'],
]

/**
 * The least that gives the service's responses over `node:http`: a key check, the work, and the
 * same headers. No validation, no log, no metrics: an upper limit, not a service.
 */
export function serveBare(statements: Statements): void {
  const keyHashes = new Set([process.env['API_KEYS_SHA256']])

  const server = createServer((req, res) => {
    const key = req.headers.authorization?.slice('Bearer '.length) ?? ''
    if (!keyHashes.has(hash('sha256', key))) send(res, 401, '{}')
    else if (req.method === 'POST') readBody(req, (text) => add(res, text))
    else if (req.url?.startsWith('/v1/pets/')) get(res, Number(req.url.slice('/v1/pets/'.length)))
    else list(res, new URLSearchParams(req.url?.slice('/v1/pets?'.length)))
  })
  server.keepAliveTimeout = 75_000

  function list(res: ServerResponse, query: URLSearchParams): void {
    const limit = Number(query.get('limit') ?? 20)
    const status = query.get('status')
    const after = query.get('after')
    // One more than asked for tells whether there is a next page.
    use(rowsOf(status, after, limit + 1), (found) => {
      const hasMore = found.length > limit
      if (hasMore) found.length = limit
      const filter = status === null ? '' : `&status=${status}`
      const link = `<?limit=${limit}${filter}&after=${found.at(-1)?.id}>; rel="next"`
      send(res, 200, JSON.stringify(found.map(body)), hasMore ? ['Link', link] : [])
    })
  }

  function rowsOf(status: string | null, after: string | null, count: number) {
    if (status !== null) return statements.listWithStatus(status, count)
    return after === null ? statements.list(count) : statements.listAfter(Number(after), count)
  }

  function get(res: ServerResponse, id: number): void {
    use(statements.get(id), (row) => {
      if (row === undefined) send(res, 404, '{}', GET_HEADERS)
      else send(res, 200, JSON.stringify(body(row)), GET_HEADERS)
    })
  }

  function add(res: ServerResponse, text: string): void {
    const { name, categoryId, status = null } = JSON.parse(text)
    use(statements.add(name, categoryId, status), (row) =>
      send(res, 201, JSON.stringify(body(row)), ['Location', `pets/${row.id}`]),
    )
  }

  server.listen(Number(process.env['PORT']), '127.0.0.1')
}

/**
 * Calls `then` at once if the driver returns its result at once: a promise more for each request
 * would make the bare server measurably slower.
 */
function use<T>(result: Awaitable<T>, then: (value: T) => void): void {
  if (result instanceof Promise) void result.then(then)
  else then(result)
}

function body(row: Row): object {
  return row.status === null ? { id: row.id, name: row.name, categoryId: row.categoryId } : row
}

function readBody(req: IncomingMessage, then: (text: string) => void): void {
  let text = ''
  req.setEncoding('utf8')
  req.on('data', (chunk: string) => {
    text += chunk
  })
  req.on('end', () => then(text))
}

function send(
  res: ServerResponse,
  status: number,
  json: string,
  headers: readonly string[] = [],
): void {
  const length = String(Buffer.byteLength(json))
  res.writeHead(status, [
    'X-Request-Id',
    randomUUID(),
    ...HEADERS,
    ...headers,
    'Content-Length',
    length,
  ])
  res.end(json)
}
