import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

const FIRST_PORT = 10_000
const FIRST_EPHEMERAL_PORT = 32_768
const ATTEMPTS = 100

/**
 * A TCP port of this machine that nothing listens on at the moment.
 *
 * It is below the range from which Linux and macOS number outgoing connections. A port of that
 * range can be given to a connection of another process before it is used, and a client that polls
 * such a port can connect to itself.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(FIRST_PORT, FIRST_EPHEMERAL_PORT)
    if (await isFree(port)) return port
  }
  throw new Error(`no free port in ${ATTEMPTS} attempts`)
}

export async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1')
  try {
    await once(probe, 'listening')
  } catch {
    return false
  }
  probe.close()
  await once(probe, 'close')
  return true
}
