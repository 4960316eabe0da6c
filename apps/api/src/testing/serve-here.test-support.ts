import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { compose, type Program } from '../compose.ts'
import { NO_REPORTS, type Reports } from '../observability/reports.ts'
import { readSettings } from '../settings/read-settings.ts'

export interface ServedHere {
  /** Without `/v1`. */
  readonly address: string
  readonly program: Program
  /** The text of the metrics. Only with `METRICS_PORT`. */
  scrape(): Promise<string>
  stop(): Promise<void>
}

/**
 * Serves in this process, by default from memory: for tests that are not about the process itself.
 */
export async function serveHere(
  settings: Readonly<Record<string, string>>,
  reports: Partial<Reports> = {},
): Promise<ServedHere> {
  const environment = { DATABASE_URL: 'sqlite::memory:', ...settings }
  const program = await compose(readSettings(environment), { ...NO_REPORTS, ...reports })
  const { server, metricsServer, close } = program
  const address = await listen(server)
  const metrics = metricsServer && (await listen(metricsServer))
  return {
    address,
    program,
    scrape: async () => (await fetch(`${metrics}/metrics`)).text(),
    async stop() {
      server.closeAllConnections()
      server.close()
      await close()
    },
  }
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
