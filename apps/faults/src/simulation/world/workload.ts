import type { Random, WireResponse } from '@pet-store/testing'
import { type ClientKey, checkKey } from './client-key.ts'
import { type HttpClient, nextPathOf, type Sending } from './http-client.ts'
import type { Importer } from './importer.ts'
import type { Instance } from './instance.ts'
import { OddRequests } from './odd-requests.ts'
import { ReadCheck } from './read-check.ts'
import { petsIn, type Record, type StoredPet, type Wish } from './record.ts'
import { CALL_LIMIT_MS, UseCaseCaller } from './use-case-caller.ts'
import { pause } from './virtual-time.ts'
import { creationOf, label, newWish, pickPage } from './wishes.ts'

export interface WorkloadOptions {
  readonly random: Random
  readonly record: Record
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
  readonly #record: Record
  readonly #reads: ReadCheck
  readonly #caller: UseCaseCaller
  readonly #odd: OddRequests
  readonly #options: WorkloadOptions
  #isStopped = false
  /** Pets with keys whose clients do not know yet. */
  readonly pending = new Map<Wish, Sending>()

  constructor(options: WorkloadOptions) {
    this.#options = options
    this.#random = options.random
    this.#record = options.record
    this.#reads = new ReadCheck(options.record)
    this.#caller = new UseCaseCaller(options.record)
    this.#odd = new OddRequests(this, options.random, options.record)
  }

  /** Runs this many clients at once. */
  async run(clients: number): Promise<void> {
    await Promise.all(Array.from({ length: clients }, () => this.#client()))
  }

  async #client(): Promise<void> {
    const random = this.#random
    for (let step = 0; step < this.#options.steps && !this.#isStopped; step += 1) {
      if (random.next() < 0.6) await pause(random.pick([0, 1, 3, 10, 50, 300]) * this.#options.pace)
      const what = random.next()
      if (what < 0.22) await this.createOne()
      else if (what < 0.42) await this.#createWithKey()
      else if (what < 0.47) await this.#createDifferent()
      else if (what < 0.57) await this.get()
      else if (what < 0.68) await this.walk()
      else if (what < 0.74) await this.#createAtOnce()
      else if (what < 0.8) await this.#readAtOnce()
      else if (what < 0.86) await this.callUseCases()
      else if (what < 0.9) await this.#odd.sendInvalid(this.#randomClient())
      else if (what < 0.93) await this.#odd.leaveEarly(this.#randomClient())
      else if (what < 0.95) await this.#odd.sendSlowly(this.#randomClient())
      else if (what < 0.97) await this.#odd.checkHealth(this.#randomClient())
      else await this.#import()
    }
  }

  /** Every client ends after its present step. */
  stop(): void {
    this.#isStopped = true
  }

  /** A pet under a new name. */
  wish(key?: string, isRejected?: boolean): Wish {
    return this.#record.wish(newWish(this.#random, this.#record.nextNumber(), { key, isRejected }))
  }

  async createOne(
    client = this.#randomClient(),
    { key, isRejected }: { readonly key?: string | undefined; readonly isRejected?: boolean } = {},
  ): Promise<WireResponse | undefined> {
    const wish = this.wish(undefined, isRejected)
    const sending = { ...creationOf(wish), key }
    const response = await this.send(client, sending, `create ${label(wish)}`)
    this.#record.noteCreation(wish, response)
    return response
  }

  /** A pet with a key, sent once; only where it succeeds. */
  async createWithNewKey(client: HttpClient): Promise<void> {
    const [key] = this.#options.keys
    const wish = this.wish(`${key?.id} ${this.#nextKey()}`, false)
    const sending = { ...creationOf(wish), key: key?.text }
    const response = await this.repeat(wish, sending, client)
    if (response?.status !== 201) this.#record.violate(`${wish.name}: ${response?.status}`)
  }

  /** Another pet under a key that has expired. */
  useKeyAgain(
    { key }: Wish,
    sending: Sending,
    client: HttpClient,
  ): Promise<WireResponse | undefined> {
    const wish = this.wish(`${key} again`, false)
    const headers = creationOf(wish).headers ?? {}
    return this.repeat(wish, { ...creationOf(wish), headers, key: sending.key }, client)
  }

  /** Repeats a creation until its outcome is known, on any instance, at once or later. */
  async #createWithKey(): Promise<void> {
    const random = this.#random
    const key = this.#keyFor()
    const wish = this.wish(`${key.id} ${this.#nextKey()}`)
    const sending = { ...creationOf(wish), key: key.text }
    this.pending.set(wish, sending)
    const repeats = random.integer(1, 5)
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      const atOnce = random.next() < 0.3 ? random.integer(2, 4) : 1
      await Promise.all(
        Array.from({ length: atOnce }, () => this.repeat(wish, sending, this.#randomClient())),
      )
      if (wish.ids.size > 0 && random.next() < 0.5) break
      await pause(random.pick([0, 5, 50, 400, 2_000]))
    }
  }

  /** Sends a creation with a key once more. */
  async repeat(
    wish: Wish,
    sending: Sending,
    client: HttpClient,
  ): Promise<WireResponse | undefined> {
    const response = await this.send(client, sending, `create ${label(wish)} with its key`)
    this.#record.noteCreation(wish, response)
    return response
  }

  /** The same key with other content. */
  async #createDifferent(): Promise<void> {
    const key = this.#keyFor()
    const text = `${key.id} ${this.#nextKey()}`
    const wishes = [this.wish(text), this.wish(text)]
    await Promise.all(
      wishes.map(async (wish) => {
        const sending = { ...creationOf(wish), key: key.text }
        for (let repeat = 0; repeat < 3; repeat += 1) {
          const response = await this.repeat(wish, sending, this.#randomClient())
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

  async get(client = this.#randomClient()): Promise<void> {
    const known = this.#acknowledged()
    const wish = known.length === 0 ? undefined : this.#random.pick(known)
    const [id = '999999999'] = wish?.ids ?? []
    const response = await this.send(client, { path: `/v1/pets/${id}` }, `get ${id}`)
    this.#reads.checkGet(id, wish, response)
  }

  async #readAtOnce(): Promise<void> {
    const count = this.#random.integer(2, 10)
    const client = this.#randomClient()
    await Promise.all(
      Array.from({ length: count }, () =>
        this.#random.next() < 0.6 ? this.get(client) : this.list(client),
      ),
    )
  }

  /** One page, from the beginning. */
  async list(client = this.#randomClient()): Promise<WireResponse | undefined> {
    const { path, limit, status } = pickPage(this.#random)
    const before = this.#stored()
    const response = await this.send(client, { path }, `list ${path}`)
    if (response?.status !== 200) return this.#reads.checkFailure(path, response)
    const pets = petsIn(response.text)
    this.#reads.checkPage(path, pets, limit, status)
    const hasNext = response.headers['link'] !== undefined
    if (!hasNext) this.#reads.checkWalk(path, pets, before, status)
    else if (pets.length !== limit)
      this.#record.violate(`${path}: ${pets.length} pets, and a next page`)
    return response
  }

  /** Reads every page by following the links. */
  async walk(client = this.#randomClient(), key?: string): Promise<boolean> {
    const { path: first, limit, status } = pickPage(this.#random)
    const before = this.#stored()
    const pets: StoredPet[] = []
    let path: string | undefined = first
    while (path !== undefined) {
      const response: WireResponse | undefined = await this.send(
        client,
        { path, key },
        `list ${path}`,
      )
      if (response?.status !== 200) {
        this.#reads.checkFailure(path, response)
        return false
      }
      const page = petsIn(response.text)
      if (page.length === 0 && path !== first)
        this.#record.violate(`${path}: an empty page after a link`)
      this.#reads.checkPage(path, page, limit, status)
      pets.push(...page)
      if (pets.length > this.#record.wishes.size) {
        this.#record.violate(`${path}: more pets than anybody has ever wanted`)
        return false
      }
      path = nextPathOf(response, path)
    }
    this.#reads.checkWalk(first, pets, before, status)
    return true
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
    const wishes = Array.from({ length: count }, () => this.wish())
    const calls = wishes.map((wish) => this.#caller.create(instance, wish, cancellation))
    if (isCancelled) {
      await pause(random.pick([0, 0, 1, 5]))
      cancellation.aborted = true
    }
    await Promise.all(calls)
    if (!isLarge && random.next() < 0.9) return
    const known = this.#acknowledged().slice(0, 300)
    await Promise.all(known.map((wish) => this.#caller.find(instance, wish)))
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
    const response = await this.#record.call(what, CALL_LIMIT_MS, sent)
    this.#record.note(`${what}: ${response?.status ?? 'no response'}`)
    const used = this.#options.keys.find((one) => one.text === text)
    if (sending.path.startsWith('/v1') && used !== undefined && response !== undefined)
      checkKey(this.#record, used, what, began, response)
    return response
  }

  /** The pets whose clients know their ids. */
  #acknowledged(): readonly Wish[] {
    return [...this.#record.wishes.values()].filter(({ ids }) => ids.size > 0)
  }

  /** With those that a program has imported. */
  #stored(): readonly Wish[] {
    return [...this.#record.wishes.values()].filter(({ ids, isStored }) => ids.size > 0 || isStored)
  }

  #randomClient(): HttpClient {
    return this.#random.pick(this.#options.clients)
  }

  #keyFor(): ClientKey {
    return this.#random.pick(this.#options.keys)
  }

  #nextKey(): string {
    return `k${this.#record.nextNumber()}`
  }
}
