import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A proxy that publishes a service under a path of its own, as installations do. It sends the
 * service no header about that path.
 */
export async function startPrefixProxy(
  service: string,
  prefix: string,
): Promise<{ address: string; close: () => void }> {
  const server = createServer((req, res) => {
    if (req.url?.startsWith(`${prefix}/`) !== true) {
      res.writeHead(502).end()
      return
    }
    const { method, headers } = req
    const passed = request(
      `${service}${req.url.slice(prefix.length)}`,
      { method, headers },
      (response) => {
        res.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(res)
      },
    )
    passed.on('error', () => res.destroy())
    req.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`, close }
}
