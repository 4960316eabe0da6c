import type { Logger } from 'pino'
import type { Program } from '../compose.ts'
import type { Settings } from '../settings/settings.ts'
import { listen } from './listen.ts'
import { shutDownOnSignals } from './shutdown.ts'

/**
 * Makes the program listen, and returns its address. From then on SIGTERM and SIGINT end the
 * program once its requests have finished.
 */
export async function runServer(
  program: Program,
  settings: Settings,
  log: Logger,
): Promise<string> {
  const url = await listenOnPorts(program, settings, log)
  shutDownOnSignals(program, settings, log)
  return url
}

/** Closes the program if it cannot listen. */
async function listenOnPorts(program: Program, settings: Settings, log: Logger): Promise<string> {
  const { server, metricsServer } = program
  const { host, port, reusePort, metricsPort = 0 } = settings
  try {
    // The port of the metrics comes first: if it is taken the program ends, before it has served
    // any client.
    if (metricsServer !== undefined) {
      const address = await listen(metricsServer, {
        host,
        port: metricsPort,
        setting: 'METRICS_PORT',
      })
      log.info({ address: `${address}/metrics` }, 'metrics')
    }
    return await listen(server, { host, port, reusePort, setting: 'PORT' })
  } catch (error) {
    await program.close()
    throw error
  }
}
