import { type Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

const PAUSE_MS = 10
const CREATION = JSON.stringify({ name: 'Rex', categoryId: 1 })

/**
 * Clients that list and create pets, each one request at a time, and count the results: the status,
 * or the code of the error that broke the connection. No request is repeated.
 */
export class ProxiedClients {
  readonly #port: number
  readonly #key: string
  readonly #counts: Record<string, number> = {}
  readonly #running: Promise<void>[] = []
  #isStopped = false

  constructor(port: number, key: string) {
    this.#port = port
    this.#key = key
  }

  /** Starts some clients. Without an agent each request has a connection of its own. */
  start(clients: number, agent?: Agent): void {
    for (let client = 0; client < clients; client += 1) this.#running.push(this.#repeat(agent))
  }

  async #repeat(agent?: Agent): Promise<void> {
    for (let count = 0; !this.#isStopped; count += 1) {
      const result = await this.ask(count % 3 === 0, agent)
      this.#counts[result] = (this.#counts[result] ?? 0) + 1
      await wait(PAUSE_MS)
    }
  }

  /** Sends one request, and returns its result. */
  ask(isCreation = false, agent?: Agent): Promise<string> {
    return new Promise((resolve) => {
      const failed = ({ code = 'failed' }: NodeJS.ErrnoException) => resolve(code)
      const sent = request(
        {
          host: '127.0.0.1',
          port: this.#port,
          path: isCreation ? '/v1/pets' : '/v1/pets?limit=1',
          method: isCreation ? 'POST' : 'GET',
          agent: agent ?? false,
          headers: {
            Authorization: `Bearer ${this.#key}`,
            ...(isCreation && { 'Content-Type': 'application/json' }),
          },
        },
        (response) => {
          response.resume()
          response.on('end', () => resolve(String(response.statusCode)))
          response.on('error', failed)
        },
      )
      sent.on('error', failed)
      sent.end(isCreation ? CREATION : undefined)
    })
  }

  /** Ends every client, and returns the number of each result. */
  async stop(): Promise<Readonly<Record<string, number>>> {
    this.#isStopped = true
    await Promise.all(this.#running)
    return this.#counts
  }
}
