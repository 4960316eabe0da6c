import { once } from 'node:events'
import { connect } from 'node:net'
import type { ApiKey, ApiKeyRepository, CreateRateLimiter, NewApiKey } from '@pet-store/access'
import { IDEMPOTENCY_KEY_LIFETIME_MS, type PetRepository } from '@pet-store/domain'
import type { PersistenceHarness } from '../harness/persistence-harness.ts'
import { LONG_MS } from '../rate-limiter-cases/long-window.ts'
import { startEcho } from './echo-server.test-support.ts'
import { FakeApiKeys } from './fake-api-keys.test-support.ts'
import { createFakePets, dated, textOf } from './fake-pets.test-support.ts'

/** Resolves when a server has answered. */
type Reply = () => Promise<unknown>

/**
 * An adapter each of whose calls waits for a reply of a server before it does its work, and for
 * one after that. A fault does the work in two steps, with a reply between them.
 */
export async function createRemoteHarness(fault?: string): Promise<PersistenceHarness> {
  const { url, close } = await startEcho()
  let stored = emptyState()
  const has = (name: string) => fault === name

  function petsWith({ pets }: State, reply: Reply): PetRepository {
    let hasCleaned = false
    return {
      ...pets,
      async addWithKey(pet, given) {
        const key = dated(given)
        const { keys } = pets.memory
        const expired = [...keys].filter(
          ([, one]) => Date.now() - one.key.at.getTime() >= IDEMPOTENCY_KEY_LIFETIME_MS,
        )
        const isKnown = keys.has(textOf(key))
        if (has('looks for a key before it adds')) await reply()
        if (has('looks for a key before it adds') && !isKnown) {
          const added = await pets.add(pet)
          keys.set(textOf(key), { key, id: added.id })
          return { pet: added, isReplay: false }
        }
        const created = await pets.addWithKey(pet, key)
        if (has('deletes by its name what has expired') && !hasCleaned)
          void reply().then(() => {
            for (const [name] of expired) keys.delete(name)
          })
        hasCleaned = true
        return created
      },
    }
  }

  function apiKeysWith({ apiKeys }: State, reply: Reply): ApiKeyRepository {
    return Object.assign(Object.create(apiKeys), {
      async replace(id: string, successor: NewApiKey, until: Date) {
        if (!has('looks at a key before it replaces it'))
          return apiKeys.replace(id, successor, until)
        const old = await apiKeys.find(id)
        await reply()
        if (old?.replacedBy !== undefined) return false
        await apiKeys.add(successor)
        return apiKeys.end(id, until, successor.id)
      },
      async revoke(id: string, at: Date, by?: string) {
        if (!has('looks at a key before it revokes it')) return apiKeys.revoke(id, at, by)
        const old = await apiKeys.find(id)
        await reply()
        if (old?.revokedAt !== undefined) return true
        return apiKeys.change(id, () => ({ revokedAt: at, ...(by && { revokedBy: by }) }))
      },
    })
  }

  function limiterWith({ counts }: State, reply: Reply): CreateRateLimiter {
    return ({ requests, windowMs }) => ({
      async take(keyId) {
        const count = () => counts.get(`${windowMs} ${keyId}`) ?? 0
        const before = count()
        if (has('reads a count before it writes it')) await reply()
        const counted = 1 + (has('reads a count before it writes it') ? before : count())
        counts.set(`${windowMs} ${keyId}`, counted)
        const remaining = Math.max(0, requests - counted)
        return { isAllowed: counted <= requests, remaining, resetMs: LONG_MS / 2 }
      },
    })
  }

  const open: PersistenceHarness['open'] = async (options) => {
    const { reply, end } = connectionTo(new URL(options.url))
    const limiterOf = limiterWith(stored, reply)
    const apiKeys = withReplies(apiKeysWith(stored, reply), reply)
    const joinsLookUps = has('joins look-ups of one hash')
    return {
      pets: withReplies(petsWith(stored, reply), reply),
      apiKeys: joinsLookUps ? withJoinedLookUps(apiKeys) : apiKeys,
      createRateLimiter: (limit) => withReplies(limiterOf(limit), reply),
      check: async () => undefined,
      close: async () => end(),
    }
  }
  return {
    open,
    capabilities: {
      severalProcesses: true,
      sharedLimits: true,
      bulkAccess: false,
      replicas: false,
    },
    async emptyDatabase() {
      stored = emptyState()
      return url
    },
    close: async () => close(),
  }
}

type State = ReturnType<typeof emptyState>

const emptyState = () => ({
  pets: createFakePets(),
  apiKeys: new FakeApiKeys(),
  counts: new Map<string, number>(),
})

/** One request after the other, as on a connection of a database. */
function connectionTo({ port, hostname }: URL): {
  readonly reply: Reply
  readonly end: () => void
} {
  const socket = connect(Number(port), hostname)
  let replied: Promise<unknown> = once(socket, 'connect')
  return {
    reply() {
      replied = replied.then(() => {
        socket.write('.')
        return once(socket, 'data')
      })
      return replied
    },
    end: () => void socket.destroy(),
  }
}

/** The same functions; each waits for a reply before its work, and for one after it. */
function withReplies<Port extends object>(port: Port, reply: Reply): Port {
  return new Proxy(port, {
    get(_, name) {
      const call: unknown = Reflect.get(port, name)
      if (typeof call !== 'function') return call
      return async (...args: unknown[]) => {
        await reply()
        const result = await call.apply(port, args)
        await reply()
        return result
      }
    },
  })
}

/** The same functions; a look-up gets the result of the same one that is under way. */
function withJoinedLookUps(apiKeys: ApiKeyRepository): ApiKeyRepository {
  const underWay = new Map<string, Promise<ApiKey | undefined>>()
  const findByHash: ApiKeyRepository['findByHash'] = (sha256) => {
    const finding = underWay.get(sha256) ?? apiKeys.findByHash(sha256)
    underWay.set(sha256, finding)
    return finding.finally(() => underWay.delete(sha256))
  }
  return new Proxy(apiKeys, {
    get: (_, name) => (name === 'findByHash' ? findByHash : Reflect.get(apiKeys, name)),
  })
}
