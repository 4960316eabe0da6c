import { createApiKey, createApiKeyText, hashApiKey, type StaticKey } from '@pet-store/access'
import type { BulkAccess, Persistence } from '@pet-store/persistence'
import { createRandom, type Random } from '@pet-store/testing'
import { vi } from 'vitest'
import { checkConnections, checkSlots } from './check-leaks.ts'
import type { ClientKey } from './clients/client-key.ts'
import { HttpClient, summaryOf } from './clients/http-client.ts'
import { networkLinkOf } from './clients/network-link.ts'
import { CALL_LIMIT_MS } from './clients/use-case-caller.ts'
import { Workload } from './clients/workload.ts'
import { Importer } from './importer.ts'
import { Instance } from './instance.ts'
import { newIntendedPet } from './intended-pets.ts'
import { pause } from './virtual-time.ts'
import { type StoredPet, WorldLedger } from './world-ledger.ts'

/** What is behind the instances of a world. */
export interface Backend {
  /** Breaks things as long as the workload runs. */
  disturb(isOver: () => boolean): Promise<void>
  /** From now on nothing is broken, and what is broken recovers. */
  calmDown(): void
  storedPets(): readonly StoredPet[]
  /** Whether the clock of the database is that of the world. */
  readonly hasVirtualClock: boolean
}

const HOUR_MS = 3_600_000
/** Longer than what a broken connection can keep waiting. */
const RECOVERY_MS = 15_000
const CLIENTS = 4
const KEY_LIFETIME_MS = 2_000

/** Instances of the service and their clients, in virtual time, with what the clients were told. */
export class World {
  readonly seed: number
  readonly random: Random
  readonly ledger = new WorldLedger()
  readonly instances: Instance[] = []
  /** How many times longer clients wait between their steps. */
  pace = 1
  /** How many steps each client takes. */
  steps = 8
  readonly #mayBeInternal: (code: string) => boolean
  readonly #keys: ClientKey[] = []
  readonly #clients: HttpClient[] = []
  readonly #staticKeys: StaticKey[] = []
  readonly #maxConcurrentRequests: number
  readonly #keyLifetimeMs: number
  readonly #isRateLimited: boolean
  #isCalm = false
  #importer: Importer | undefined

  /** `mayBeInternal`: whether an error of the database with this code may be a 500. */
  constructor(seed: number, mayBeInternal: (code: string) => boolean) {
    this.seed = seed
    this.#mayBeInternal = mayBeInternal
    this.random = createRandom(seed)
    this.#maxConcurrentRequests = this.random.pick([3, 8, 50])
    this.#isRateLimited = this.random.next() < 0.2
    this.#keyLifetimeMs = this.random.pick([0, KEY_LIFETIME_MS])
    for (const id of ['one', 'two']) {
      const text = createApiKeyText()
      this.#staticKeys.push({ keyId: id, sha256: hashApiKey(text) })
      this.#keys.push({ id, text, endsAtMs: Number.POSITIVE_INFINITY })
    }
  }

  /** Adds an instance, with two clients of its own. */
  addInstance(persistence: Persistence, skewMs: number): void {
    const instance = new Instance({
      persistence,
      staticKeys: this.#staticKeys,
      maxConcurrentRequests: this.#maxConcurrentRequests,
      keyLifetimeMs: this.#keyLifetimeMs,
      isRateLimited: this.#isRateLimited,
      skewMs,
      onInternalError: (error) => this.#checkInternalError(error),
      onUnavailable: ({ message, cause }) => this.ledger.note(`unavailable: ${message} ${cause}`),
    })
    this.instances.push(instance)
    for (let client = 0; client < 2; client += 1) {
      const link = () => networkLinkOf(this.random, () => this.#isCalm)
      this.#clients.push(new HttpClient((socket) => instance.accept(socket), link))
    }
  }

  /** Adds a program that imports pets. */
  addImporter(bulk: BulkAccess): void {
    const { random, ledger } = this
    const intend = () => ledger.intend(newIntendedPet(random, ledger.nextNumber(), {}))
    this.#importer = new Importer(bulk, {
      random,
      ledger,
      intend,
      mayBeInternal: this.#mayBeInternal,
    })
  }

  /** Only what a server has stated, and nobody can act on, may be an internal error. */
  #checkInternalError(error: unknown): void {
    const code = (error as { readonly code?: unknown } | undefined)?.code
    this.ledger.note(`internal error: ${String(error)} ${String(code)}`)
    if (typeof code !== 'string' || !this.#mayBeInternal(code))
      this.ledger.violate(`internal error: ${code} ${(error as Error)?.stack}`)
  }

  /** Runs clients while things break, and then checks the calm world. */
  async run(backend: Backend): Promise<void> {
    await this.#issueKey()
    const workload = this.#createWorkload()
    let isOver = false
    const disturbing = backend.disturb(() => isOver)
    const revoking = this.#revokeKey()
    await workload.run(this.random.integer(1, CLIENTS))
    isOver = true
    await disturbing
    await revoking
    backend.calmDown()
    this.#isCalm = true
    await pause(RECOVERY_MS)
    await this.#resolvePending(workload)
    this.ledger.compare(backend.storedPets())
    await this.#importer?.advance()
    await this.#importer?.compare(backend.storedPets())
    await this.#assertFreshCallsSucceed(workload)
    if (this.random.next() < 0.3) await this.#assertKeysLast(workload, backend.hasVirtualClock)
    const keys = this.#keys.slice(0, 2).map(({ text }) => text)
    const max = this.#maxConcurrentRequests
    for (const instance of this.instances)
      if (max <= 10) await checkSlots(this.ledger, instance, max, keys)
    for (const instance of this.instances) await checkConnections(this.ledger, instance)
  }

  /** Closes every instance, some with work under way. */
  async close(): Promise<void> {
    const workload = this.#createWorkload()
    const isBusy = this.random.next() < 0.5
    const serving = isBusy ? workload.run(2) : Promise.resolve()
    if (isBusy) await pause(this.random.pick([0, 1, 5, 50]))
    workload.stop()
    await Promise.all(this.instances.map((instance) => instance.stop()))
    await serving
    for (const client of this.#clients) client.close()
    // The adapter is closed when no connection is left, as in the program.
    await pause(1_000)
    // Programs that call the use cases themselves may still wait when the adapter is closed.
    const calling = this.random.next() < 0.5 ? workload.callUseCases() : Promise.resolve()
    await pause(0)
    const closing = [...this.instances, this.#importer].map(async (open) => open?.close())
    await this.ledger.call('closing the adapters', CALL_LIMIT_MS, Promise.all(closing))
    await calling
    await pause(RECOVERY_MS)
    for (const { connections } of this.instances)
      if (connections > 0) this.ledger.violate(`${connections} connections of clients are left`)
  }

  #createWorkload(): Workload {
    const { random, ledger, instances } = this
    const clients = this.#clients
    return new Workload({
      random,
      ledger,
      instances,
      clients,
      keys: this.#keys,
      steps: this.steps,
      pace: this.pace,
      importer: this.#importer,
    })
  }

  /** A key in the database beside those of the settings. */
  async #issueKey(): Promise<void> {
    const { text, key } = createApiKey({ name: 'simulated' }, {})
    const id = 'simulated'
    await this.instances[0]?.persistence.apiKeys?.add({ ...key, id })
    this.#keys.push({ id, text, endsAtMs: Number.POSITIVE_INFINITY })
  }

  /** In some worlds that key is revoked while it is used. */
  async #revokeKey(): Promise<void> {
    const key = this.#keys.at(-1)
    if (key === undefined || this.random.next() < 0.6) return
    await pause(this.random.pick([5, 100, 1_000]))
    // Whether a revocation that fails was stored is unknown: until then it may be valid or not.
    key.endsAtMs = Number.MAX_VALUE
    const revoking = this.instances[0]?.persistence.apiKeys?.revoke(key.id, new Date())
    const isRevoked = await revoking?.catch(() => false)
    if (isRevoked === true) key.endsAtMs = performance.now() + this.#keyLifetimeMs
  }

  /** Clients with idempotency keys find out the outcomes of their creations. */
  async #resolvePending(workload: Workload): Promise<void> {
    for (const [intended, sending] of workload.pending) {
      const response = await workload.repeat(intended, sending, this.random.pick(this.#clients))
      const expected = intended.isRejected ? [400, 500, 503] : [201]
      if (!this.#isRevoked(sending.key) && !expected.includes(response?.status ?? 0))
        this.ledger.violate(
          `${intended.name} with its key, in a calm world: ${summaryOf(response)}`,
        )
    }
  }

  /** What was broken before no longer affects new requests. */
  async #assertFreshCallsSucceed(workload: Workload): Promise<void> {
    const key = this.#keys[0]?.text
    for (const client of this.#clients) {
      const created = await workload.createOne(client, { key, isRejected: false })
      if (created?.status !== 201)
        this.ledger.violate(`a creation in a calm world: ${summaryOf(created)}`)
      const isListed = await workload.reads.listAll(client, key)
      if (!isListed) this.ledger.violate('a list in a calm world has failed')
      const ready = await workload.send(client, { path: '/readyz' }, '/readyz')
      if (ready?.status !== 200)
        this.ledger.violate(`not ready in a calm world: ${summaryOf(ready)}`)
    }
  }

  /** Keys are valid for a day, and no longer. A new key makes each instance delete expired ones. */
  async #assertKeysLast(workload: Workload, hasVirtualClock: boolean): Promise<void> {
    this.#jump(23 * HOUR_MS)
    for (const client of this.#clients) await workload.createWithNewKey(client)
    await pause(RECOVERY_MS)
    await this.#resolvePending(workload)
    if (!hasVirtualClock) return
    this.#jump(2 * HOUR_MS)
    for (const [intended, sending] of workload.pending) {
      if (intended.ids.size === 0 || this.#isRevoked(sending.key)) continue
      const response = await workload.useKeyAgain(
        intended,
        sending,
        this.random.pick(this.#clients),
      )
      if (response?.status !== 201)
        this.ledger.violate(`a key of ${intended.name} after a day: ${summaryOf(response)}`)
    }
  }

  #isRevoked(text: string | undefined): boolean {
    return this.#keys.some((key) => key.text === text && key.endsAtMs < Number.POSITIVE_INFINITY)
  }

  #jump(durationMs: number): void {
    vi.setSystemTime(Date.now() + durationMs)
    this.ledger.note(`${durationMs / HOUR_MS} hours pass`)
  }
}
