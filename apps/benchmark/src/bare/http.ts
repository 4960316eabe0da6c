import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

/** A row under the names of the wire. */
export interface Row {
  readonly id: number
  readonly name: string
  readonly categoryId: number
  readonly status: string | null
}

type Answer<T> = T | Promise<T>

/** The statements that a bare server runs. */
export interface Store {
  list(limit: number): Answer<Row[]>
  listAfter(after: number, limit: number): Answer<Row[]>
  listWithStatus(status: string, limit: number): Answer<Row[]>
  get(id: number): Answer<Row | undefined>
  add(name: string, categoryId: number, status: string | null): Answer<Row>
}

/**
 * The least that answers the benchmark's requests over `node:http`: a key check, and nothing else besides the work
 * itself. No validation, no log, no request id: a ceiling, not a service.
 */
export function serveBare(store: Store): void {
  const goodKeys = new Set([process.env['API_KEYS_SHA256']])

  const server = createServer((req, res) => {
    const key = req.headers.authorization?.slice('Bearer '.length) ?? ''
    if (!goodKeys.has(createHash('sha256').update(key).digest('hex'))) send(res, 401, '{}')
    else if (req.method === 'POST') readBody(req, (body) => add(res, body))
    else if (req.url?.startsWith('/v1/pets/')) get(res, Number(req.url.slice('/v1/pets/'.length)))
    else list(res, new URLSearchParams(req.url?.slice('/v1/pets?'.length)))
  })

  function list(res: ServerResponse, query: URLSearchParams): void {
    const limit = Number(query.get('limit') ?? 20)
    const status = query.get('status')
    const after = query.get('after')
    const rows =
      status !== null
        ? store.listWithStatus(status, limit)
        : after !== null
          ? store.listAfter(Number(after), limit)
          : store.list(limit)
    use(rows, (found) => send(res, 200, JSON.stringify(found.map(body))))
  }

  function get(res: ServerResponse, id: number): void {
    use(store.get(id), (row) => (row === undefined ? send(res, 404, '{}') : send(res, 200, JSON.stringify(body(row)))))
  }

  function add(res: ServerResponse, text: string): void {
    const { name, categoryId, status = null } = JSON.parse(text)
    use(store.add(name, categoryId, status), (row) => send(res, 201, JSON.stringify(body(row))))
  }

  server.listen(Number(process.env['PORT']), '127.0.0.1')
}

/** Goes on at once where the driver answers at once: a promise more would be felt here. */
function use<T>(answer: Answer<T>, then: (value: T) => void): void {
  if (answer instanceof Promise) void answer.then(then)
  else then(answer)
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

function send(res: ServerResponse, status: number, json: string): void {
  res.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) })
  res.end(json)
}
