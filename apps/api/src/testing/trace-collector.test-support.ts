import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A span as the collector got it. */
export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: readonly {
    readonly key: string
    readonly value: Readonly<Record<string, unknown>>
  }[]
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly unknown[] }
    readonly scopeSpans: readonly { readonly spans: readonly CollectedSpan[] }[]
  }[]
}

/**
 * Takes traces by OTLP over HTTP, as JSON, until the test ends. `status` is that of its responses.
 */
export async function startCollector(status = 200) {
  const spans: CollectedSpan[] = []
  const bodies: string[] = []
  const server = createServer((req, res) => {
    let body = ''
    req.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    req.on('end', () => {
      if (req.url === '/v1/traces') {
        bodies.push(body)
        const { resourceSpans } = JSON.parse(body) as Sent
        spans.push(
          ...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
        )
      }
      res.writeHead(status, { 'Content-Type': 'application/json' }).end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, spans, bodies }
}

/** The name of a span and, as nested lists, the names of the spans below it. */
export function treeOf(spans: readonly CollectedSpan[], root: CollectedSpan): readonly unknown[] {
  const below = spans.filter(({ parentSpanId }) => parentSpanId === root.spanId)
  return [root.name, ...below.map((span) => treeOf(spans, span))]
}

/** The values of a span's attributes by name. */
export function attributesOf({ attributes }: CollectedSpan): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
