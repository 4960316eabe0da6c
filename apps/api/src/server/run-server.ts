import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import closeWithGrace, { type AllEvents } from 'close-with-grace'
import type { Logger } from 'pino'
import type { Program } from '../compose.ts'
import type { Settings } from '../settings/settings.ts'

/**
 * Listens and returns the address. From then on SIGTERM and SIGINT end the program once requests
 * have finished.
 */
export async function runServer(
  program: Program,
  settings: Settings,
  log: Logger,
): Promise<string> {
  const url = await listenOnPorts(program, settings, log)
  // A second signal or error, or work of stopping that fails, ends the process at once.
  const options = {
    skip: NATIVE_FAULTS,
    delay: settings.shutdownTimeoutMs,
    logger: { error: (err: unknown) => log.fatal({ err }, 'ending at once') },
    onTimeout: () => log.fatal('ending, because stopping took too long'),
  }
  closeWithGrace(options, async ({ signal, err }) => {
    if (err) log.fatal({ err }, 'stopping after an error')
    else log.info({ signal }, 'stopping')
    program.stop()
    if (!err) await setTimeout(settings.shutdownDelayMs)
    await program.server.shutDown()
    await program.close()
    log.info('stopped')
  })
  return url
}

/**
 * Signals of the processor and of `abort`: they end the process at once. After a handler the
 * instruction that failed would run again, for ever.
 */
const NATIVE_FAULTS: AllEvents[] = ['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGTRAP', 'SIGABRT']

/** Closes the program if it cannot listen. */
async function listenOnPorts(program: Program, settings: Settings, log: Logger): Promise<string> {
  const { server, metricsServer } = program
  const { host, port, reusePort, metricsPort = 0 } = settings
  try {
    // First, so that no client is served by a program that then ends because this port is taken.
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

/**
 * How many connections may wait to be accepted, where the system allows it. Beyond Node's 511 a
 * client, or a health check, that connects simultaneously with many others would try again after a
 * second, then after three, then after seven.
 */
const BACKLOG = 4_096

/** Where a server listens, and the setting that says so. */
export interface Place {
  readonly host: string
  readonly port: number
  readonly setting: string
  /** Whether other processes may listen there too. Default: false. */
  readonly reusePort?: boolean
}

/** Listens on an address and returns it as a URL. Rejects with a sentence on what to do. */
export async function listen(server: Server, place: Place): Promise<string> {
  const { host, port, setting, reusePort = false } = place
  server.listen({ host, port, reusePort, backlog: BACKLOG })
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw new Error(`Cannot listen on ${host} port ${port}: ${listenError(cause, setting)}`, {
      cause,
    })
  }
  const { address, family, port: taken } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`
}

function listenError(cause: unknown, setting: string): string {
  const { code, message } = cause as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return `something listens there already. Stop it, or set ${setting} to another number.`
  if (code === 'ENOTSUP')
    return 'this system cannot share a port. Unset REUSE_PORT, and put a proxy in front.'
  if (code === 'EACCES') return `this port needs more rights. Set ${setting} to 1024 or more.`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return 'this machine has no such address. Set HOST to another.'
  return message
}
