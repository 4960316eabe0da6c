// A persistence adapter in one file, each of whose guarantees can be broken:
// `file:/path/to/file?fault-name`. Another process imports it too, to be killed.

import { existsSync, openSync, rmSync } from 'node:fs'
import type { ApiKey } from '@pet-store/access'
import { persistenceUnavailable } from '@pet-store/domain'
import type { OpenPersistence } from '@pet-store/persistence'
import { batchOf } from './batch.test-support.ts'
import { callLimitsOf, cancellationOf, repeatedIfLost } from './call-limits.test-support.ts'
import { asReturned } from './call-style.test-support.ts'
import { clockOf, timed } from './clock.test-support.ts'
import { connectionOf } from './connection.test-support.ts'
import { leakOf } from './leaks.test-support.ts'
import { takeOf } from './limits.test-support.ts'
import { cachedLists, findByHashIn, sharedReads } from './lists.test-support.ts'
import { lockOf, migrateOnce, openAlone } from './lock.test-support.ts'
import { countCall, untilNoneCalls } from './openings.test-support.ts'
import { outcomeWhileDown } from './outcome.test-support.ts'
import { reconnectingOf } from './reconnecting.test-support.ts'
import { replicasOf } from './replicas.test-support.ts'
import { type State, transaction } from './state.test-support.ts'
import { deleteOldKeys, failingLater, stateFaults } from './state-faults.test-support.ts'
import { listenerOf, reportedCall } from './statements.test-support.ts'
import {
  addInTwoSteps,
  addKeyedIn,
  overwriteRevocation,
  replaceInTwoSteps,
  useInParts,
} from './two-steps.test-support.ts'
import { awaitReply, replyMs, wait, waitInSteps } from './wait.test-support.ts'

export { openBulkAccess } from './bulk-access.test-support.ts'
export { deletePet } from './state.test-support.ts'

type Method = (...args: unknown[]) => unknown

/** Far more than passes between two calls, or a call and a close or a kill, on a loaded machine. */
const WRITE_DELAY_MS = 60_000
const openingsOf = new Map<string, readonly (() => void)[]>()

const openFilePersistence: OpenPersistence = async (options) => {
  const { url, mode, replicaUrls = [] } = options
  const { pathname: given, search } = new URL(url)
  const has = (fault: string): boolean => search === `?${fault}`
  const onStatement = listenerOf(options.onStatement, has)
  const shorter = given.replace(/-beside$/, '')
  const pathname = has('shares-databases') ? shorter : given
  const isStopped = () => existsSync(`${pathname}.down`)
  const isDown = reconnectingOf(isStopped, has('doubles-its-pauses'))
  const isOutdated = existsSync(`${pathname}.outdated`)
  const mayMigrate =
    mode === 'migrate' ||
    (mode === 'read' &&
      (has('migrates-for-reading') ||
        has('opens-missing-for-reading') ||
        (isOutdated && has('migrates-outdated-for-reading'))))
  if (has('migrates-once') && isOutdated) await migrateOnce(pathname)
  const isReopened = existsSync(pathname)
  if (has('opens-one-at-a-time')) await openAlone(pathname)
  if (has('leaks-when-opened')) openSync('/dev/null', 'r')
  if ((isOutdated || !isReopened) && !mayMigrate && !has('ignores-migrate')) {
    leakOf(has).ofRejectedOpening(isReopened)
    throw new Error('The schema is outdated.')
  }
  if (has('cannot-read-alone') && mode === 'read') throw new Error('It is read-only.')
  if (isDown() && !has('connects-lazily')) throw new Error('ECONNREFUSED')
  const replicas = replicasOf(pathname, replicaUrls, has)
  const lock = lockOf(pathname, has, mode === 'read')
  if (has('keeps-a-timer')) setInterval(() => {}, 1_000)

  const withFaults = stateFaults({ has, isReopened, isOutdated })
  let state = transaction(pathname, (stored, save) => {
    if (has('forgets-ids')) stored.pets.memory.lastId = 0n
    if (has('forgets-idempotency-keys')) stored.pets.memory.keys.clear()
    if (has('forgets-api-keys')) stored.apiKeys.rows.length = 0
    deleteOldKeys(stored, has)
    if (has('forgets-counts')) stored.counts.clear()
    if (isOutdated && has('loses-old-pets')) stored.pets.memory.pets.delete(1n)
    save(stored)
    return withFaults(stored)
  })
  rmSync(`${pathname}.outdated`, { force: true })
  const opened = transaction(pathname, (stored) => stored)
  if (has('opens-missing-for-reading') && !isReopened && mode === 'read') rmSync(pathname)
  const leak = leakOf(has, pathname, mode)
  const limits = callLimitsOf(has, isDown, pathname)
  const batch = batchOf(has)
  const useConnection = connectionOf(pathname, has)
  const clock = clockOf(has)
  let isClosed = false
  let isClosing = false
  let downSince = Number.POSITIVE_INFINITY
  openingsOf.set(pathname, [...(openingsOf.get(pathname) ?? []), () => (isClosed = true)])
  const unknownIds = new Set<bigint>()
  const failLater = failingLater(has('fails-in-the-background'), isDown)
  const knownKeys = new Map<string, ApiKey>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const running: Promise<unknown>[] = []

  /**
   * Calls a method on what the file contains, and writes it back. The fakes do all their work
   * before they return.
   */
  async function call<Result>(method: (current: State) => Promise<Result>): Promise<Result> {
    if (isClosed) throw new Error('It is closed.')
    leak.ofCall()
    useConnection()
    const allowed = limits.assertAllowed()
    if (allowed !== undefined) await allowed
    if (has('cuts-calls-off')) {
      while (isDown() && !isClosing) await wait(5)
      if (isClosing) throw persistenceUnavailable({ outcome: 'not_stored' })
    }
    if (isDown()) {
      downSince = Math.min(downSince, performance.now())
      limits.noteRejected()
      if (has('waits-forever')) return new Promise(() => {})
      // In steps, because the limits lose time while this process gets no processor.
      if (has('rejects-late')) for (let step = 0; step < 50; step += 1) await wait(100)
      if (has('hides-unavailability')) throw new Error('ECONNREFUSED')
      if (has('forgets-on-a-crash')) rmSync(pathname, { force: true })
      // It tries once more by itself.
      if (has('stores-later')) setTimeout(() => void call(method).catch(() => {}), 300)
      throw persistenceUnavailable({ outcome: outcomeWhileDown(has) })
    }
    return transaction(pathname, (stored, save) => {
      if (!has('caches') && !has('forgets-counts') && timer === undefined)
        state = withFaults(stored)
      const result = method(state)
      if (has('writes-later') || has('loses-pending-writes'))
        timer ??= setTimeout(write, WRITE_DELAY_MS)
      else if (!leak.isOpen()) save(state)
      leak.ofRejected(result)
      return result
    })
  }

  /** A round trip, after which the reply may not arrive. */
  async function callRemotely<Result>(
    method: (current: State) => Promise<Result>,
  ): Promise<Result> {
    const repeats = has('repeats-writes') || has('repeats-keyed-writes')
    const result = await call(method)
    await waitInSteps(replyMs(has), repeats ? isDown : undefined, !has('unrefs-timers'))
    if (!isDown()) return result
    if (has('denies-lost-replies')) throw persistenceUnavailable()
    if (!repeats) throw persistenceUnavailable({ outcome: 'unknown' })
    while (isDown()) await wait(5)
    return call(method)
  }

  function write(): void {
    timer = undefined
    transaction(pathname, (_, save) => save(state))
  }

  function run(args: unknown[], name: 'pets' | 'apiKeys', key: string | symbol): Promise<unknown> {
    const isRead = ['find', 'list', 'findByHash', 'listChangedSince'].includes(String(key))
    const through = isRead || name === 'apiKeys' ? call : callRemotely
    return through(async (current) =>
      (Reflect.get(current[name], key) as Method).apply(current[name], args),
    )
  }

  /** A port whose functions are called on what the file contains, but for those that are given. */
  function port<Name extends 'pets' | 'apiKeys'>(
    name: Name,
    own: Partial<State[Name]>,
  ): State[Name] {
    return new Proxy({} as State[Name], {
      get:
        (_, key) =>
        (...args: unknown[]) => {
          const text = `${name}.${String(key)}`
          return asReturned({ has, isDown, name: text, args }, async () => {
            const called = reportedCall(onStatement, has, { name: text, args }, async () => {
              if (isDown() && has(`hangs-in-${text}`)) return new Promise(() => {})
              const method = (Reflect.get(own, key) ?? (() => run(args, name, key))) as Method
              return shared(text, args, () => limits.laterToo(name, async () => method(...args)))
            })
            running.push(Promise.resolve(called))
            countCall(pathname, called)
            return called
          })
        },
    })
  }

  const shared = sharedReads(has)
  const take = takeOf(has, isDown, call)
  const listCached = cachedLists(
    has,
    (query) => call(({ pets }) => pets.list(query)),
    () => call(async ({ pets }) => pets.memory.lastId),
  )

  return {
    pets: port('pets', {
      async add(pet, cancellation) {
        if (has('stores-in-two-steps')) return addInTwoSteps(call, pet)
        const given = cancellationOf(has, cancellation)
        const add = ({ pets }: State) => pets.add(pet, given)
        if (has('repeats-keyed-writes')) return call(add)
        if (!has('acknowledges-early')) return callRemotely(add)
        void wait(4).then(() => call(add).catch(() => {}))
        return { ...pet, id: BigInt(Date.now()) }
      },
      addWithKey: (pet, { at, ...key }, cancellation) => {
        const dated = { ...key, at: at ?? clock.timeOfCall() }
        const inSteps = addKeyedIn(has)?.(call, pet, dated)
        if (inSteps !== undefined) return inSteps
        const given = cancellationOf(has, cancellation)
        return failLater(callRemotely(({ pets }) => pets.addWithKey(pet, dated, given)))
      },
      async find(id) {
        if (await batch.isFull()) return undefined
        if (limits.wasIdle()) return undefined
        if (has('hangs-with-a-reply-on-its-way')) await awaitReply(isDown)
        const pet = unknownIds.has(id) ? undefined : await call(({ pets }) => pets.find(id))
        if (has('caches-a-few-ids') && pet === undefined && id % 7n === 0n) unknownIds.add(id)
        return pet
      },
      async list(query) {
        const fromReplica = replicas.list(query)
        if (fromReplica !== undefined) return fromReplica
        if (has('lists-nothing-after-seconds') && performance.now() - downSince > 10_000) return []
        if (
          has('loses-statuses-when-down') &&
          Number.isFinite(downSince) &&
          query.status !== undefined
        )
          return []
        if (has('reads-a-snapshot') && mode === 'read') return opened.pets.list(query)
        if (has('rejects-reads-when-closed')) await wait(5)
        if (isClosing && has('rejects-reads-when-closed')) throw new Error('It is closed.')
        const found = await listCached(query)
        return has('lists-from-zero') ? found.filter(({ id }) => id >= 0n) : found
      },
    }),
    apiKeys: port('apiKeys', {
      add: (key) => call(({ apiKeys }) => apiKeys.add(timed(has, key))),
      async find(id) {
        const isKnown = has('caches-keys') || (isDown() && has('serves-known-keys-while-down'))
        const known = isKnown ? knownKeys.get(id) : undefined
        const found = known ?? (await call(({ apiKeys }) => apiKeys.find(id)))
        if (found !== undefined) knownKeys.set(id, found)
        return found
      },
      findByHash: findByHashIn(has, call),
      async replace(id, successor, until) {
        const inSteps = has('rotates-in-two-steps')
        const replace = ({ apiKeys }: State) => apiKeys.replace(id, successor, until)
        if (has('repeats-rotations')) return repeatedIfLost(isDown, () => call(replace))
        if (!inSteps && !has('looks-before-it-replaces')) return call(replace)
        return replaceInTwoSteps(call, inSteps, id, successor, until)
      },
      async markUsed(uses) {
        if (has('loses-uses-when-down') && Number.isFinite(downSince)) return
        if (has('overwrites-revocations')) await overwriteRevocation(call, uses[0]?.id ?? '')
        const given = has('records-few-uses') ? uses.slice(0, 4_000) : uses
        await useInParts(given, has('uses-in-parts') ? 100 : Infinity, (part) =>
          limits.besideOthers(() => call(({ apiKeys }) => apiKeys.markUsed(part))),
        )
      },
    }),
    createRateLimiter: (limit) => ({ take: (keyId) => take(limit, keyId) }),
    check: async () =>
      has('never-rejects-check') ? undefined : call(async () => limits.check(mode)),
    async isMigrated() {
      if (isDown() && has('takes-an-outage-for-migrations')) return false
      if (has('remembers-migrations')) return true
      if (has('denies-newer') && existsSync(`${pathname}.newer`)) return false
      return !existsSync(`${pathname}.outdated`) && !has('denies-migrations')
    },
    replicaProblems: replicas.replicaProblems,
    async readClock() {
      if (isDown() && !has('tells-the-time-while-down')) await call(async () => undefined)
      return clock.read()
    },
    poolUse() {
      const use = [{ name: 'file', busy: leak.busy(), idle: 1, waiting: 0, limit: 1 }]
      return has('counts-pools-later') ? (Promise.resolve(use) as unknown as typeof use) : use
    },
    async close() {
      isClosing = true
      leak.ofClose(isDown())
      if (has('waits-for-other-openings')) await untilNoneCalls(pathname)
      if (!has('closes-early') && !(has('forgets-a-single-call') && running.length === 1))
        await Promise.race([Promise.allSettled(running), wait(1_000, false)])
      for (const end of has('closes-all') ? (openingsOf.get(pathname) ?? []) : []) end()
      lock.release()
      clearTimeout(timer)
      if (timer !== undefined && !has('loses-pending-writes')) write()
    },
  }
}

export default openFilePersistence
