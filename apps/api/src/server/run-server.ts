import { once } from 'node:events'
import type { Server } from 'node:http'
import { flushCompileCache } from 'node:module'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import closeWithGrace from 'close-with-grace'
import type { Logger } from 'pino'
import type { Program } from '../compose.ts'
import type { Settings } from '../settings/settings.ts'

/** Listens and returns the address. From then on SIGTERM and SIGINT end the program once requests have finished. */
export async function runServer(program: Program, settings: Settings, log: Logger): Promise<string> {
  // First, so that no client is served by a program that then ends because this port is taken.
  if (program.metricsServer !== undefined) {
    const address = await listen(program.metricsServer, settings.host, settings.metricsPort ?? 0, 'METRICS_PORT')
    log.info({ address: `${address}/metrics` }, 'metrics')
  }
  const url = await listen(program.server, settings.host, settings.port)
  boundNewSpace()
  // A second signal ends the process at once.
  const options = {
    delay: settings.shutdownTimeoutMs,
    logger: false,
    onSecondError: (err: unknown) => log.fatal({ err }, 'ending at once after an error'),
    onTimeout: () => log.fatal('ending, because stopping took too long'),
  } as const
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

/** How much memory V8 may take for new objects. On a large machine it would take 128 MiB, and serve no faster. */
const MAX_NEW_SPACE_BYTES = 32 * 1024 * 1024
const NEW_SPACE_CHECK_MS = 250

/**
 * Stops the growth of V8's space for new objects at about this size, and allows it again after V8 has shrunk the space.
 * V8 reads this flag at each growth; `--max-semi-space-size`, the usual one, only on the command line.
 * docs/decisions/0131-memory.md
 */
function boundNewSpace(): void {
  // With other flags, the code that the next start uses would not be taken for the same.
  flushCompileCache()
  let mayGrow = true
  setInterval(() => {
    const { space_size: bytes = 0 } = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space') ?? {}
    if (bytes < MAX_NEW_SPACE_BYTES === mayGrow) return
    mayGrow = !mayGrow
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`)
  }, NEW_SPACE_CHECK_MS).unref()
}

/** Listens on an address and returns it as a URL. Rejects with a sentence on what to do. */
export async function listen(server: Server, host: string, port: number, setting = 'PORT'): Promise<string> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw new Error(`Cannot listen on ${host} port ${port}: ${listenError(cause, setting)}`, { cause })
  }
  const { address, family, port: taken } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`
}

function listenError(cause: unknown, setting: string): string {
  const { code, message } = cause as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return `something listens there already. Stop it, or set ${setting} to another number.`
  if (code === 'EACCES') return `this port needs more rights. Set ${setting} to 1024 or more.`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return 'this machine has no such address. Set HOST to another.'
  return message
}
