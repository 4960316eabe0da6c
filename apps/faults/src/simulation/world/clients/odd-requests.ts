import type { Random, WireResponse } from '@pet-store/testing'
import { creationOf, label } from '../intended-pets.ts'
import type { IntendedPet, WorldLedger } from '../world-ledger.ts'
import type { HttpClient, Sending } from './http-client.ts'

/** What sends a request and follows it. */
interface Sender {
  intend(): IntendedPet
  send(client: HttpClient, sending: Sending, what: string): Promise<WireResponse | undefined>
}

/** Requests that are invalid, that nobody waits for, or that need no key. */
export class OddRequests {
  readonly #workload: Sender
  readonly #random: Random
  readonly #ledger: WorldLedger

  constructor(workload: Sender, random: Random, ledger: WorldLedger) {
    this.#workload = workload
    this.#random = random
    this.#ledger = ledger
  }

  async sendInvalid(client: HttpClient): Promise<void> {
    const bodies = ['{', '{"name":"","categoryId":1}', '{"name":"a\\u0000","categoryId":1}', '[]']
    const body = this.#random.pick(bodies)
    const sending = { method: 'POST', path: '/v1/pets', body }
    const response = await this.#workload.send(client, sending, `create ${body}`)
    if (response !== undefined && ![400, 401, 429, 500, 503].includes(response.status))
      this.#ledger.violate(`${body}: ${response.status}`)
  }

  async leaveEarly(client: HttpClient): Promise<void> {
    const intended = this.#workload.intend()
    const leavesAfterMs = this.#random.pick([0, 0, 1, 2, 10, 200])
    const sending = { ...creationOf(intended), leavesAfterMs }
    const response = await this.#workload.send(client, sending, `create ${label(intended)}, leave`)
    this.#ledger.noteCreation(intended, response)
  }

  /** In chunks with pauses between them, as over a bad line. */
  async sendSlowly(client: HttpClient): Promise<void> {
    const intended = this.#workload.intend()
    const pauses = this.#random.integer(1, 4)
    const pausesMs = Array.from({ length: pauses }, () => this.#random.pick([1, 50, 900, 4_000]))
    const sending = { ...creationOf(intended), pausesMs }
    const response = await this.#workload.send(client, sending, `create ${label(intended)}, slowly`)
    this.#ledger.noteCreation(intended, response)
  }

  async checkHealth(client: HttpClient): Promise<void> {
    const path = this.#random.pick(['/readyz', '/livez'])
    const response = await this.#workload.send(client, { path }, path)
    if (response === undefined) return
    const expected = path === '/livez' ? [200] : [200, 503]
    if (!expected.includes(response.status)) this.#ledger.violate(`${path}: ${response.status}`)
  }
}
