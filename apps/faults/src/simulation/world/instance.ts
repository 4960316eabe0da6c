import { createKeyCheck, type KeyCheck, type StaticKey } from '@pet-store/access'
import { createPetUseCases, type PetUseCases } from '@pet-store/domain'
import { createPetApp, createPetServer, type PetServer } from '@pet-store/http-express'
import type { Persistence } from '@pet-store/persistence'
import type { MemorySocket } from '@pet-store/testing'

export interface InstanceOptions {
  readonly persistence: Persistence
  readonly staticKeys: readonly StaticKey[]
  readonly maxConcurrentRequests: number
  readonly keyLifetimeMs: number
  readonly isRateLimited: boolean
  /** How fast its clock is. */
  readonly skewMs: number
  readonly onInternalError: (error: unknown) => void
  readonly onUnavailable: (error: Error) => void
}

/** More than any client sends, so that requests are counted and none is rejected. */
const RATE_LIMIT = { requests: 100_000, windowMs: 60_000 }

/** Counts where the adapter can, for all instances together. */
function rateLimitingOf({ createRateLimiter }: Persistence) {
  if (createRateLimiter === undefined) return {}
  return { rateLimiting: { limit: RATE_LIMIT, limiter: createRateLimiter(RATE_LIMIT) } }
}

/** One instance of the service: real use cases and the real HTTP app, on an open adapter. */
export class Instance {
  readonly persistence: Persistence
  readonly pets: PetUseCases
  readonly keyCheck: KeyCheck
  readonly skewMs: number
  /** How many calls of getPet wait. */
  held = 0
  readonly #server: PetServer
  #holding: Promise<void> | undefined
  #isStopped = false
  readonly #sockets = new Set<MemorySocket>()

  constructor(options: InstanceOptions) {
    const { persistence, staticKeys, maxConcurrentRequests, keyLifetimeMs, skewMs } = options
    const { apiKeys: keys } = persistence
    if (keys === undefined) throw new Error('The adapter must store API keys.')
    this.persistence = persistence
    this.skewMs = skewMs
    this.pets = createPetUseCases(persistence.pets)
    const pets: PetUseCases = {
      ...this.pets,
      getPet: async (id) => {
        await this.#waitWhileHeld()
        return this.pets.getPet(id)
      },
    }
    this.keyCheck = createKeyCheck({ keys, staticKeys, lifetimeMs: keyLifetimeMs })
    const log = {
      request() {},
      internalError: options.onInternalError,
      unavailable: options.onUnavailable,
    }
    const app = createPetApp({
      pets,
      tokenCheck: this.keyCheck.check,
      maxConcurrentRequests,
      ...(options.isRateLimited && rateLimitingOf(persistence)),
      nowMs: () => this.now().getTime(),
      log,
      readiness: () =>
        persistence.check().then(
          () => ({ database: 'ok' }),
          () => ({ database: 'unavailable' }),
        ),
    })
    this.#server = createPetServer(app, log)
  }

  /** The time by its own clock. */
  now(): Date {
    return new Date(Date.now() + this.skewMs)
  }

  /** From now on gets wait until the function that it returns is called. */
  holdReads(): () => void {
    let release = () => {}
    this.held = 0
    this.#holding = new Promise((resolve) => {
      release = () => {
        this.#holding = undefined
        resolve()
      }
    })
    return release
  }

  async #waitWhileHeld(): Promise<void> {
    if (this.#holding === undefined) return
    this.held += 1
    await this.#holding
  }

  /** Takes a connection of a client. */
  accept(socket: MemorySocket): void {
    if (this.#isStopped) {
      socket.on('error', () => {})
      socket.destroy(new Error('nobody listens any more'))
      return
    }
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', () => {})
    this.#server.emit('connection', socket)
  }

  get connections(): number {
    return this.#sockets.size
  }

  /** As SIGTERM does: every response closes its connection from now on. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#server.shutDown()
  }

  /** Closes what is left, and the adapter. */
  async close(): Promise<void> {
    await this.persistence.close()
    for (const socket of this.#sockets) socket.destroy()
  }
}
