import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { listen } from '../providers/open-provider.ts'
import { PACTS } from '../sources/pact-files.ts'

export interface FakeBroker {
  readonly url: string
  readonly requests: readonly { readonly path: string; readonly body: unknown }[]
}

/**
 * The parts of a Pact broker that the verification uses. It has the contract of the kiosk, and
 * records requests.
 */
export async function startFakeBroker(
  token: string,
  { acceptsResults = true } = {},
): Promise<FakeBroker> {
  const requests: { readonly path: string; readonly body: unknown }[] = []
  const pact = readFileSync(join(PACTS, 'kiosk-pet-store.json'), 'utf8')

  async function respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { method, url: path = '', headers } = req
    requests.push({ path, body: method === 'GET' ? undefined : await json(req) })
    const isKnown = headers.authorization === `Bearer ${token}`
    const [status, found] = isKnown ? responseTo(path, method) : [401, { error: 'Unauthorized' }]
    res.writeHead(status, { 'Content-Type': 'application/hal+json' })
    res.end(typeof found === 'string' ? found : JSON.stringify(found))
  }

  function responseTo(path: string, method: string | undefined): [number, object | string] {
    if (path === '/') {
      const href = `${url}/pacts/provider/{provider}/for-verification`
      return [200, { _links: { 'pb:provider-pacts-for-verification': { href, templated: true } } }]
    }
    if (path === '/pacts/provider/pet-store/for-verification') {
      const links = { self: { href: `${url}/pacts/kiosk`, name: 'Pact of kiosk' } }
      const pacts = [{ shortDescription: 'latest', _links: links }]
      return [200, { _embedded: { pacts }, _links: { self: { href: url + path } } }]
    }
    if (path === '/pacts/kiosk') {
      const links = {
        self: { href: url + path },
        'pb:provider': { href: `${url}/pacticipants/pet-store`, name: 'pet-store' },
        'pb:publish-verification-results': { href: `${url}/results` },
      }
      // As text, since JSON.parse would round integers.
      return [200, pact.replace('{', `{"_links":${JSON.stringify(links)},`)]
    }
    if (path === '/results' && !acceptsResults) return [400, { error: 'No.' }]
    if (path === '/pacticipants/pet-store') {
      const href = `${url}${path}/branches/{branch}/versions/{version}`
      return [
        200,
        { _links: { self: { href: url + path }, 'pb:branch-version': { href, templated: true } } },
      ]
    }
    return [method === 'GET' ? 404 : 200, { _links: { self: { href: url + path } } }]
  }

  const server = createServer((req, res) => void respond(req, res))
  const url = await listen(server)
  onTestFinished(() => void server.close().closeAllConnections())
  return { url, requests }
}
