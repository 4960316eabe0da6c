import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { OpenProvider } from './open-provider.ts'

/** An answer on its way to a consumer; a fault changes it. */
export interface Answer {
  status: number
  readonly headers: Record<string, string>
  // biome-ignore lint/suspicious/noExplicitAny: Faults reach into it as they like.
  body: any
}

/** What is wrong with a provider. */
export type Fault = (answer: Answer) => void

/** Puts a fault in front of providers, chosen anew for each one that is opened. */
export function withFaults(openProvider: OpenProvider, nextFault: () => Fault | undefined): OpenProvider {
  return async (scene) => {
    const fault = nextFault() ?? (() => {})
    const behind = await openProvider(scene)
    const baseUrl = await addressOf(behind.server)
    const server = createServer((req, res) => void pass(req, res, baseUrl, fault))
    return {
      server,
      async close() {
        behind.server.closeAllConnections()
        behind.server.close()
        await behind.close()
      },
    }
  }
}

async function pass(req: IncomingMessage, res: ServerResponse, baseUrl: string, fault: Fault): Promise<void> {
  const { connection: _, host: _host, 'content-length': _length, ...headers } = req.headers
  const response = await fetch(baseUrl + req.url, {
    method: req.method ?? 'GET',
    headers: headers as Record<string, string>,
    ...(req.method === 'POST' && { body: await text(req) }),
  })
  const answer: Answer = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.json(),
  }
  delete answer.headers['content-length']
  fault(answer)
  res.writeHead(answer.status, answer.headers)
  res.end(JSON.stringify(answer.body))
}

async function addressOf(server: Server): Promise<string> {
  if (!server.listening) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
