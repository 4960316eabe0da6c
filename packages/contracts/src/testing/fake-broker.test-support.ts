import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { listen } from '../providers/open-provider.ts'

/** A request to the broker. */
interface BrokerRequest {
  readonly method: string
  readonly path: string
  readonly authorization: string | undefined
  readonly body: unknown
}

export interface FakeBroker {
  readonly url: string
  readonly requests: readonly BrokerRequest[]
}

/** The parts of a Pact broker that publishing and verifying use. It stores contracts and records requests. */
export async function startFakeBroker(token: string, { acceptsResults = true } = {}): Promise<FakeBroker> {
  const requests: BrokerRequest[] = []
  /** By consumer. */
  const pacts = new Map<string, string>()

  async function respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = req
    const body = method === 'GET' ? undefined : await json(req)
    const request: BrokerRequest = { method, path, authorization: headers.authorization, body }
    requests.push(request)
    const isKnown = headers.authorization === `Bearer ${token}`
    const [status, found] = isKnown ? responseTo(request) : [401, { error: 'Unauthorized' }]
    res.writeHead(status, { 'Content-Type': 'application/hal+json' })
    res.end(typeof found === 'string' ? found : JSON.stringify(found))
  }

  function responseTo({ method, path, body }: BrokerRequest): [number, object | string] {
    if (path === '/') return [200, { _links: rootLinks() }]
    if (path === '/contracts/publish') {
      const { contracts } = body as { readonly contracts: readonly { consumerName: string; content: string }[] }
      for (const { consumerName, content } of contracts)
        pacts.set(consumerName, Buffer.from(content, 'base64').toString())
      return [200, { notices: [] }]
    }
    if (path === '/pacts/provider/pet-store/for-verification') {
      const links = [...pacts.keys()].map((consumer) => ({
        shortDescription: 'latest',
        _links: { self: { href: `${url}/pacts/${consumer}`, name: `Pact of ${consumer}` } },
      }))
      return [200, { _embedded: { pacts: links }, _links: { self: { href: url + path } } }]
    }
    const pact = pacts.get(path.split('/').at(-1) ?? '')
    if (method === 'GET' && path.startsWith('/pacts/') && pact !== undefined) {
      const links = {
        self: { href: url + path },
        'pb:provider': { href: `${url}/pacticipants/pet-store`, name: 'pet-store' },
        'pb:publish-verification-results': { href: `${url}/results${path}` },
      }
      // As text, since JSON.parse would round integers.
      return [200, pact.replace('{', `{"_links":${JSON.stringify(links)},`)]
    }
    if (path.startsWith('/results/') && !acceptsResults) return [400, { error: 'No.' }]
    if (path === '/pacticipants/pet-store') {
      const href = `${url}${path}/branches/{branch}/versions/{version}`
      return [200, { _links: { self: { href: url + path }, 'pb:branch-version': { href, templated: true } } }]
    }
    return [method === 'GET' ? 404 : 200, { _links: { self: { href: url + path } } }]
  }

  const rootLinks = () => ({
    self: { href: url },
    'pb:publish-contracts': { href: `${url}/contracts/publish` },
    'pb:provider-pacts-for-verification': {
      href: `${url}/pacts/provider/{provider}/for-verification`,
      templated: true,
    },
  })

  const server = createServer((req, res) => void respond(req, res))
  const url = await listen(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url, requests }
}
