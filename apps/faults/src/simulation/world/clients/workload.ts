import type { Random, WireResponse } from '@pet-store/testing'
import type { Importer } from '../importer.ts'
import type { Instance } from '../instance.ts'
import { creationOf, label, newIntendedPet } from '../intended-pets.ts'
import { pause } from '../virtual-time.ts'
import type { IntendedPet, UsedKey, WorldLedger } from '../world-ledger.ts'
import { type ClientKey, checkKey } from './client-key.ts'
import type { HttpClient, Sending } from './http-client.ts'
import { OddRequests } from './odd-requests.ts'
import { Reads } from './reads.ts'
import { CALL_LIMIT_MS, UseCaseCaller } from './use-case-caller.ts'

export interface WorkloadOptions {
  readonly random: Random
  readonly ledger: WorldLedger
  readonly instances: readonly Instance[]
  readonly clients: readonly HttpClient[]
  readonly keys: readonly ClientKey[]
  /** How many steps each client takes. */
  readonly steps: number
  /** How many times longer clients wait between their steps. */
  readonly pace: number
  readonly importer: Importer | undefined
}

/** What clients do in a world: one step after the other for each, chosen by the seed. */
export class Workload {
  readonly #random: Random
  readonly #ledger: WorldLedger
  readonly reads: Reads
  readonly #caller: UseCaseCaller
  readonly #odd: OddRequests
  readonly #options: WorkloadOptions
  #isStopped = false
  /** Pets with keys whose clients do not know yet. */
  readonly pending = new Map<IntendedPet, Sending>()

  constructor(options: WorkloadOptions) {
    this.#options = options
    this.#random = options.random
    this.#ledger = options.ledger
    this.reads = new Reads(this, options.random, options.ledger)
    this.#caller = new UseCaseCaller(options.ledger)
    this.#odd = new OddRequests(this, options.random, options.ledger)
  }

  /** Runs this many clients at once. */
  async run(clients: number): Promise<void> {
    await Promise.all(Array.from({ length: clients }, () => this.#client()))
  }

  async #client(): Promise<void> {
    const random = this.#random
    for (let step = 0; step < this.#options.steps && !this.#isStopped; step += 1) {
      if (random.next() < 0.6) await pause(random.pick([0, 1, 3, 10, 50, 300]) * this.#options.pace)
      await this.#step(random.next())
    }
  }

  /** Does the step that a number from 0 to 1 chooses. */
  #step(chosen: number): Promise<unknown> | undefined {
    const steps: readonly (readonly [upTo: number, run: () => Promise<unknown>])[] = [
      [0.22, () => this.createOne()],
      [0.42, () => this.#createWithKey()],
      [0.47, () => this.#createDifferent()],
      [0.57, () => this.reads.get()],
      [0.68, () => this.reads.listAll()],
      [0.74, () => this.#createAtOnce()],
      [0.8, () => this.reads.readAtOnce()],
      [0.86, () => this.callUseCases()],
      [0.9, () => this.#odd.sendInvalid(this.randomClient())],
      [0.93, () => this.#odd.leaveEarly(this.randomClient())],
      [0.95, () => this.#odd.sendSlowly(this.randomClient())],
      [0.97, () => this.#odd.checkHealth(this.randomClient())],
      [1, () => this.#import()],
    ]
    return steps.find(([upTo]) => chosen < upTo)?.[1]()
  }

  /** Every client ends after its present step. */
  stop(): void {
    this.#isStopped = true
  }

  /** A pet under a new name. */
  intend(key?: UsedKey, isRejected?: boolean): IntendedPet {
    return this.#ledger.intend(
      newIntendedPet(this.#random, this.#ledger.nextNumber(), { key, isRejected }),
    )
  }

  async createOne(
    client = this.randomClient(),
    { key, isRejected }: { readonly key?: string | undefined; readonly isRejected?: boolean } = {},
  ): Promise<WireResponse | undefined> {
    const intended = this.intend(undefined, isRejected)
    const sending = { ...creationOf(intended), key }
    const response = await this.send(client, sending, `create ${label(intended)}`)
    this.#ledger.noteCreation(intended, response)
    return response
  }

  /** Creates a pet with a new key; it must succeed. */
  async createWithNewKey(client: HttpClient): Promise<void> {
    const [key] = this.#options.keys
    const intended = this.intend(this.#newKeyOf(key), false)
    const sending = { ...creationOf(intended), key: key?.text }
    const response = await this.repeat(intended, sending, client)
    if (response?.status !== 201) this.#ledger.violate(`${intended.name}: ${response?.status}`)
  }

  /** Another pet under a key that has expired. */
  useKeyAgain(
    { key }: IntendedPet,
    sending: Sending,
    client: HttpClient,
  ): Promise<WireResponse | undefined> {
    const again = key && { ...key, use: `${key.use} again` }
    const intended = this.intend(again, false)
    return this.repeat(intended, { ...creationOf(intended), key: sending.key }, client)
  }

  /** Repeats a creation until its outcome is known, on any instance, at once or later. */
  async #createWithKey(): Promise<void> {
    const random = this.#random
    const key = this.#keyFor()
    const intended = this.intend(this.#newKeyOf(key))
    const sending = { ...creationOf(intended), key: key.text }
    this.pending.set(intended, sending)
    const repeats = random.integer(1, 5)
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      const atOnce = random.next() < 0.3 ? random.integer(2, 4) : 1
      await Promise.all(
        Array.from({ length: atOnce }, () => this.repeat(intended, sending, this.randomClient())),
      )
      if (intended.ids.size > 0 && random.next() < 0.5) break
      await pause(random.pick([0, 5, 50, 400, 2_000]))
    }
  }

  /** Sends a creation with a key once more. */
  async repeat(
    intended: IntendedPet,
    sending: Sending,
    client: HttpClient,
  ): Promise<WireResponse | undefined> {
    const response = await this.send(client, sending, `create ${label(intended)} with its key`)
    this.#ledger.noteCreation(intended, response)
    return response
  }

  /** The same key with other content. */
  async #createDifferent(): Promise<void> {
    const key = this.#keyFor()
    const used = this.#newKeyOf(key)
    const intendedPets = [this.intend(used), this.intend(used)]
    await Promise.all(
      intendedPets.map(async (intended) => {
        const sending = { ...creationOf(intended), key: key.text }
        for (let repeat = 0; repeat < 3; repeat += 1) {
          const response = await this.repeat(intended, sending, this.randomClient())
          if (response?.status === 201 || response?.status === 422) break
          await pause(this.#random.pick([0, 20, 500]))
        }
      }),
    )
  }

  async #createAtOnce(): Promise<void> {
    const count = this.#random.integer(2, 8)
    await Promise.all(Array.from({ length: count }, () => this.createOne()))
  }

  /** Once, or by several programs at once, of which one succeeds. */
  async #import(): Promise<void> {
    const { importer } = this.#options
    if (importer === undefined) return
    const count = this.#random.integer(1, 3)
    await Promise.all(Array.from({ length: count }, () => importer.advance()))
  }

  /** Another team's program calls the use cases itself. */
  async callUseCases(): Promise<void> {
    const random = this.#random
    const instance = random.pick(this.#options.instances)
    const isLarge = random.next() < 0.02
    const count = isLarge ? random.integer(490, 620) : random.integer(1, 12)
    const cancellation = { aborted: false }
    const isCancelled = random.next() < 0.2
    const intendedPets = Array.from({ length: count }, () => this.intend())
    const calls = intendedPets.map((intended) =>
      this.#caller.create(instance, intended, cancellation),
    )
    if (isCancelled) {
      await pause(random.pick([0, 0, 1, 5]))
      cancellation.aborted = true
    }
    await Promise.all(calls)
    if (!isLarge && random.next() < 0.9) return
    const known = this.#ledger.acknowledged.slice(0, 300)
    await Promise.all(known.map((intended) => this.#caller.find(instance, intended)))
  }

  /** Sends one request with a key of a client, and follows it until it settles. */
  async send(
    client: HttpClient,
    sending: Sending,
    what: string,
  ): Promise<WireResponse | undefined> {
    const key = this.#keyFor()
    const text = sending.key ?? key.text
    const began = performance.now()
    const sent = client.send({ ...sending, key: text })
    const response = await this.#ledger.call(what, CALL_LIMIT_MS, sent)
    this.#ledger.note(`${what}: ${response?.status ?? 'no response'}`)
    const used = this.#options.keys.find((one) => one.text === text)
    if (sending.path.startsWith('/v1') && used !== undefined && response !== undefined)
      checkKey(this.#ledger, used, what, began, response)
    return response
  }

  randomClient(): HttpClient {
    return this.#random.pick(this.#options.clients)
  }

  #keyFor(): ClientKey {
    return this.#random.pick(this.#options.keys)
  }

  #newKeyOf(owner: ClientKey | undefined): UsedKey {
    const text = `k${this.#ledger.nextNumber()}`
    return { text, use: `${owner?.id} ${text}` }
  }
}
