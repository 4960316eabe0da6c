import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

const FIRST_PORT = 10_000
const FIRST_EPHEMERAL_PORT = 32_768
const ATTEMPTS = 100

/**
 * Finds a TCP port of this machine on which nothing listens at present.
 *
 * It is below the range of ephemeral ports of Linux and macOS. The system could give a port of that
 * range to an outgoing connection of another process, and a client that polls such a port could
 * connect to itself.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(FIRST_PORT, FIRST_EPHEMERAL_PORT)
    if (await isFree(port)) return port
  }
  throw new Error(`No free port was found in ${ATTEMPTS} attempts.`)
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
