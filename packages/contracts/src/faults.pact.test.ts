import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { beforeAll, expect, it } from 'vitest'
import { openAdapter } from './providers/open-adapter.ts'
import { listen, type OpenProvider } from './providers/open-provider.ts'
import { CLIENT_PACT, PACTS, type PactFile, readPactFiles } from './sources/pact-files.ts'
import { type InteractionResult, verifyPacts } from './verification/verify-pacts.ts'

interface MutableResponse {
  status: number
  readonly headers: Headers
  body: string
}

/** A change of a response, and the difference that the verification must report for it. */
type Fault = readonly [difference: string, change: (response: MutableResponse) => unknown]

const status = (wrong: number): Fault => ['StatusMismatch', (response) => (response.status = wrong)]
const header = (name: string, wrong = ''): Fault => [
  `HeaderMismatch ${name}`,
  ({ headers }) => (wrong === '' ? headers.delete(name) : headers.set(name, wrong)),
]
const body = (path: string, was: string | RegExp, is: string): Fault => [
  `BodyMismatch ${path}`,
  (response) => (response.body = response.body.replace(was, is)),
]

const keyFaults = (operation: string, scope: string): Record<string, readonly Fault[]> => ({
  [`${operation} with no key`]: [
    header('WWW-Authenticate', 'Bearer realm="pet-store", error="invalid_token"'),
    header('WWW-Authenticate'),
    header('Content-Type', 'text/html'),
  ],
  [`${operation} with an unknown key`]: [
    header('WWW-Authenticate', 'Bearer realm="pet-store"'),
    status(200),
  ],
  [`${operation} with a key without ${scope}`]: [header('WWW-Authenticate'), status(401)],
  [`${operation} with a key that used up its limit`]: [
    header('Retry-After'),
    header('Retry-After', '5000000'),
    status(503),
  ],
})

/**
 * Faults that interactions of our own contracts must catch: each matcher, and samples of exact
 * values and statuses.
 */
const FAULTS: Record<string, readonly Fault[]> = {
  'a list of no pets': [
    body('$', '[]', '[{"id":1,"name":"Rex","categoryId":7}]'),
    body('$', '[]', '{"pets":[]}'),
  ],
  'a list of the available pets': [
    body('$[0].status', 'available', 'sold'),
    // The filter is ignored.
    body('$', '[', '[{"id":1,"name":"Tom","categoryId":8},'),
  ],
  'a list of two pets, one of them without a status': [
    header('RateLimit', '"default";r=20;t=60'),
    header('RateLimit-Policy'),
    body('$[1].status', '"categoryId":8}', '"categoryId":8,"status":null}'),
    // In descending order.
    body('$[0].id', /^\[(\{.*\}),(\{.*\})\]$/, '[$2,$1]'),
  ],
  'a list with a request id': [header('X-Request-Id', 'another')],
  'a list with an invalid cursor': [
    header('X-Request-Id'),
    body('$.message', /"message":"[^"]*"/, '"message":""'),
  ],
  'a list with an unknown parameter, which is ignored': [status(400)],
  'a list with handling=strict and an unknown parameter': [header('Preference-Applied')],
  'a new pet with an unknown field, which is ignored': [status(400)],
  'a new pet with handling=strict and an unknown field': [status(201)],
  'a list with a cursor of another status': [body('$', /"message":"[^"]*",/, '')],
  'a list without a limit, of more pets than fit on a page': [
    header('Link', '<?limit=10&cursor=AQ>; rel="next"'),
    header('Link'),
    header('Link', '</v1/pets?limit=20&cursor=AQAAAAAAAAAAAXtPM94>; rel="next"'),
    // Ten pets instead of twenty.
    body('$', /,\{"id":11,.*\]/, ']'),
  ],
  'a list with a limit of 100': [status(400), body('$', /,\{"id":100,.*\]/, ']'), header('Link')],
  'the first page of pets with ids beyond 2^53': [
    body('$[1].id', '9007199254740993', '9007199254740992'),
    // The cursor of the pet before: the next page repeats a pet.
    header('Link', '<?limit=2&cursor=AQAAIAAAAAAAAMP1OtQ>; rel="next"'),
  ],
  'the last page of pets with ids beyond 2^53, by the cursor of the first': [
    // A pet is repeated, or lost.
    body('$', '[', '[{"id":9007199254740993,"name":"Rex","categoryId":1},'),
    body('$', /\{.*\}/, ''),
  ],
  'a new pet': [
    header('Location', 'pets/2'),
    header('Location', '/v1/pets/1'),
    header('Location'),
    header('Cache-Control'),
  ],
  'a new pet that was created already with the same idempotency key': [
    body('$.id', '"id":5', '"id":6'),
    header('Idempotency-Replayed'),
  ],
  'a new pet without a status': [body('$.status', '}', ',"status":"available"}')],
  'a new pet with the categoryId 9223372036854775807': [body('$.categoryId', /5807/, '5806')],
  'a new pet with an unusual name': [
    body('$.name', '" Z', '"Z'),
    body('$.name', 'e\u0308', '\u00eb'),
    body('$.name', '&', '&amp;'),
    body('$.name', '<b>', ''),
  ],
  'another pet with a used idempotency key': [status(201)],
  'one pet': [header('Sunset'), header('Deprecation'), header('Link')],
  'one pet with the greatest id': [body('$.id', '9223372036854775807', '9223372036854775808')],
  'one pet with handling=strict and an unknown parameter': [header('Preference-Applied')],
  'one pet that does not exist': [
    body('$.status', '404', '400'),
    body('$.status', '404', '"404"'),
    header('Sunset'),
  ],
  'the first page of available pets': [
    header('Link', '<?limit=2&status=available&cursor=AQEAAAAAAAAAAXtPM94>; rel="next"'),
    header('Link', '<?limit=2&cursor=AQEAAAAAAAAAAvU9dic>; rel="next"'),
  ],
  // Of the kiosk. The cursor of the pet before, and one that skips a pet.
  'the first page of three pets on offer': ['AQEAAAAAAAAAAWw0J50', 'AQEAAAAAAAAAA4I6RrE'].map(
    (cursor) => header('Link', `<?limit=2&status=available&cursor=${cursor}>; rel="next"`),
  ),
  'a pet whose status nobody has set': [body('$[0].status', '}', ',"status":null}')],
}

/** Puts a server in front of each provider, which changes the responses. */
function withFaults(next: () => Fault | undefined): OpenProvider {
  return async (fixture) => {
    const [, change = () => {}] = next() ?? []
    const provider = await openAdapter(fixture)
    const origin = await listen(provider.server)
    const respond = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
      const { connection: _, host: _host, 'content-length': _length, ...headers } = req.headers
      const { method = '' } = req
      const body = method === 'GET' ? null : await text(req)
      const response = await fetch(origin + req.url, {
        method,
        headers: headers as Record<string, string>,
        body,
      })
      const changed = {
        status: response.status,
        headers: new Headers(response.headers),
        body: await response.text(),
      }
      change(changed)
      changed.headers.delete('content-length')
      res.writeHead(changed.status, Object.fromEntries(changed.headers)).end(changed.body)
    }
    return {
      server: createServer((req, res) => void respond(req, res)),
      async close() {
        provider.server.closeAllConnections()
        provider.server.close()
        await provider.close()
      },
    }
  }
}

const { path: kioskPact } = readPactFiles([PACTS]).find(
  ({ consumer }) => consumer === 'kiosk',
) as PactFile
const pactUrls = [CLIENT_PACT, kioskPact]
const descriptions = pactUrls.flatMap((path) => {
  const { interactions } = JSON.parse(readFileSync(path, 'utf8')) as {
    interactions: { description: string }[]
  }
  return interactions.map(({ description }) => description)
})
for (const description of descriptions) {
  const [, operation, scope] = /^(\w+) with a key without (\S+)$/.exec(description) ?? []
  if (operation !== undefined && scope !== undefined)
    Object.assign(FAULTS, keyFaults(operation, scope))
}
/** The results of each run: the first one plants the first fault of each interaction, and so on. */
const runs: (readonly InteractionResult[])[] = []
const planted = Object.entries(FAULTS).flatMap(([description, faults]) =>
  faults.map(([difference], run) => ({ description, difference, run })),
)

beforeAll(async () => {
  for (let run = 0; planted.some((one) => one.run === run); run += 1) {
    // The verifier processes the interactions one after the other, in the order of the files.
    const order = descriptions[Symbol.iterator]()
    const nextFault = () => FAULTS[order.next().value ?? '']?.[run]
    runs.push((await verifyPacts({ pactUrls }, withFaults(nextFault))).interactions)
  }
})

it.each(planted)(
  'the verification reports $difference in: $description',
  ({ description, difference, run }) => {
    const found =
      runs[run]?.find((one) => one.description === description)?.mismatch?.mismatches ?? []
    expect(found.map(({ type, key, path }) => `${type} ${key ?? path ?? ''}`.trim())).toContain(
      difference,
    )
  },
)
