import { existsSync, openSync, rmSync, writeFileSync } from 'node:fs'
import {
  IDEMPOTENCY_KEY_LIFETIME_MS,
  INT64,
  type NewPet,
  type Pet,
  type PetId,
  persistenceUnavailable,
} from '@pet-store/domain'
import type { BulkAccess, OpenBulkAccess, StoredApiKey } from '@pet-store/persistence'
import { BULK_ACCESS_FUNCTIONS } from '@pet-store/persistence'
import { FakeBulk } from '../fake-bulk.test-support.ts'
import { onceUp } from './call-limits.test-support.ts'
import { leakOfBulk } from './leaks.test-support.ts'
import { checkFirstOfPage, writeUnlessKnown } from './pages.test-support.ts'
import { type State, transaction } from './state.test-support.ts'

type Method = (...args: unknown[]) => Promise<unknown>

/** By fault, the function that says `not_stored` of what it has stored. */
const DENIED: Readonly<Record<string, keyof BulkAccess>> = {
  'denies-stored-pages': 'addPets',
  'denies-stored-keys': 'writeApiKeys',
  'denies-written-pets': 'writePets',
  'denies-moved-ids': 'movePetIdsPast',
}

/** The file of the file adapter for bulk access. */
export const openBulkAccess: OpenBulkAccess = async ({ url, mode }) => {
  const { pathname, search } = new URL(url)
  const has = (fault: string): boolean => search === `?${fault}`
  const mayCreate =
    mode === 'migrate' ||
    (mode === 'read' && has('creates-for-bulk-reading')) ||
    (mode !== 'read' && has('creates-for-bulk-writing'))
  if (mode === 'read' && has('reads-no-bulk-alone')) throw new Error('It is read-only.')
  if (has('keeps-a-timer-for-bulk')) setInterval(() => {}, 1_000)
  const isOutdated = existsSync(`${pathname}.outdated`) && !has('opens-bulk-outdated')
  if ((isOutdated || !existsSync(pathname)) && !mayCreate)
    throw new Error('The schema is missing or outdated.')
  if (has('leaks-in-bulk')) openSync('/dev/null', 'r')
  const isDown = () => existsSync(`${pathname}.down`)
  if (isDown()) throw new Error('ECONNREFUSED')
  const opened = transaction(pathname, (stored) => stored)

  const leakWhileDown = leakOfBulk(has)
  let readings = 0
  let imports = 0

  /** Calls a function on what the file contains, and writes it back. */
  function call(name: keyof BulkAccess, args: unknown[]): Promise<unknown> {
    if (isDown()) {
      leakWhileDown()
      if (has('hangs-in-bulk') && name === 'readApiKeys') return new Promise(() => {})
      if (has('waits-in-bulk'))
        return new Promise((resolve) => setTimeout(resolve, 300_000).unref())
      if (has('acknowledges-bulk-while-down') && name === 'writeIdempotencyKeys')
        return Promise.resolve()
      // It tries once more by itself.
      if (has('repeats-bulk') && name === 'addPets') void onceUp(isDown, () => call(name, args))
      throw new Error('ECONNREFUSED')
    }
    if (mode === 'write' && name === 'writePetImports' && has('imports-only-if-migrated'))
      return Promise.resolve()
    if (name === 'readPetImports' && has('forgets-imports-of-many-calls') && ++imports > 100)
      return Promise.resolve([])
    if (name === 'readPets' && has('reads-once-at-a-time')) return readAlone(args)
    if (mode === 'read' && name === 'readApiKeys' && has('reads-half-alone'))
      return Promise.resolve([])
    if (name === 'writeIdempotencyKeys' && has('writes-bulk-later')) {
      setTimeout(() => void repeat(name, args).catch(() => {}), 1)
      return Promise.resolve()
    }
    if (name === 'movePetIdsPast' && has('moves-ids-later')) {
      setTimeout(() => void repeat(name, args).catch(() => {}), 60_000).unref()
      return Promise.resolve()
    }
    if (name === 'writeApiKeys' && has('writes-over-changes')) return writeOver(args)
    const [key, ...others] = name === 'writeApiKeys' ? (args[0] as readonly StoredApiKey[]) : []
    if (key !== undefined && others.length === 0 && has('looks-for-hashes-first'))
      return writeUnlessKnown(pathname, key)
    if (name === 'movePetIdsPast' && has('moves-ids-in-two-steps')) return moveInTwoSteps(args[0])
    if (name === 'movePetIdsPast' && has('moves-ids-by-a-pet')) return moveByAPet(args[0])
    const shows = has('shows-unfinished-pages') || has('counts-unfinished-pages')
    if (name === 'writePets' && shows) return showFirst(args[0])
    const misreads = has('repeats-bulk-in-a-call')
    const denied = Object.entries(DENIED).find(([fault]) => has(fault))?.[1]
    if ((name === 'addPets' && misreads) || name === denied) return misread(name, args)
    return work(name, args)
  }

  /** After a case that has ended by then, the file may be gone. */
  async function repeat(name: keyof BulkAccess, args: unknown[]): Promise<void> {
    if (!isDown()) await call(name, args)
  }

  /** Returns nothing to a call that comes while another one reads. */
  async function readAlone(args: unknown[]): Promise<unknown> {
    if (readings > 0) return []
    readings += 1
    await new Promise((resolve) => setTimeout(resolve, 1))
    readings -= 1
    return work('readPets', args)
  }

  /** Stores pets before it looks whether an id is taken, and removes them then. */
  async function showFirst(given: unknown): Promise<unknown> {
    const pets = given as readonly Pet[]
    const change = (work: (stored: Map<PetId, Pet>) => void) =>
      transaction(pathname, (state, save) => {
        work(state.pets.memory.pets)
        save(state)
      })
    const isTaken = transaction(pathname, (state) =>
      pets.some(({ id }) => state.pets.memory.pets.has(id)),
    )
    if (!isTaken) return work('writePets', [pets])
    // Beyond those that are listed, it is only counted.
    const id = has('counts-unfinished-pages') ? INT64.max : 1n
    change((stored) => stored.set(id, { ...(pets[0] as Pet), id }))
    await new Promise((resolve) => setTimeout(resolve, 100))
    change((stored) => stored.delete(id))
    throw new Error('An id is taken.')
  }

  /** Writes back what it has read of the keys that others replace. */
  async function writeOver(args: unknown[]): Promise<unknown> {
    const read = transaction(pathname, ({ apiKeys }) => apiKeys.rows.map((row) => ({ ...row })))
    await new Promise((resolve) => setTimeout(resolve, 1))
    const replaced = (args[0] as readonly StoredApiKey[]).map(({ replaces }) => replaces)
    transaction(pathname, (state, save) => {
      for (const { id, revokedAt } of read)
        if (replaced.includes(id)) state.apiKeys.change(id, () => ({ revokedAt }))
      save(state)
    })
    return work('writeApiKeys', args)
  }

  /** Looks first; another call may get the id meanwhile. */
  async function moveInTwoSteps(given: unknown): Promise<void> {
    const id = given as PetId
    if (id <= transaction(pathname, ({ pets }) => pets.memory.lastId)) return
    await new Promise((resolve) => setTimeout(resolve, 1))
    transaction(pathname, (state, save) => {
      state.pets.memory.lastId = id
      save(state)
    })
  }

  /** Adds a pet with the last id, and deletes it a moment later. */
  async function moveByAPet(given: unknown): Promise<unknown> {
    await work('writePets', [[{ id: given, name: '', categoryId: 0n }]])
    await new Promise((resolve) => setTimeout(resolve, 1))
    transaction(pathname, (state, save) => {
      state.pets.memory.pets.delete(given as PetId)
      save(state)
    })
    return work('movePetIdsPast', [given])
  }

  /** Takes a reply that an outage has cut off for a call that did nothing. */
  async function misread(name: keyof BulkAccess, args: unknown[]): Promise<unknown> {
    await work(name, args)
    const pause = () => new Promise((resolve) => setTimeout(resolve, 20))
    await pause()
    if (!isDown()) return undefined
    if (!has('repeats-bulk-in-a-call')) throw persistenceUnavailable({ outcome: 'not_stored' })
    while (isDown()) await pause()
    return work(name, args)
  }

  function work(name: keyof BulkAccess, args: unknown[]): Promise<unknown> {
    return transaction(pathname, (stored, save) => {
      const state = has('imports-over-added-pets') ? opened : stored
      const bulk = withFaults(state)
      const result = (bulk[name] as Method).apply(bulk, args)
      // The fakes do all their work before they return; what they reject they have not changed.
      save({ ...state, imports: bulk.imports })
      opened.imports = bulk.imports
      return result
    })
  }

  function withFaults({ pets, apiKeys, imports }: State): FakeBulk {
    const bulk = new FakeBulk(pets, apiKeys, imports)
    const { addPets, readIdempotencyKeys, writeApiKeys, writeIdempotencyKeys, writePets } = bulk
    if (has('writes-over-ids')) {
      bulk.writePets = (pets) => {
        const { lastId } = bulk.memory
        const writing = writePets.call(bulk, pets)
        const last = pets.at(-1)?.id ?? 0n
        bulk.memory.lastId = last > lastId ? last : lastId
        return writing
      }
    }
    if (has('passes-one-written-id')) {
      bulk.writePets = (pets) => {
        const writing = writePets.call(bulk, pets)
        if (bulk.memory.pets.has(bulk.memory.lastId - 1n)) bulk.memory.lastId -= 1n
        return writing
      }
    }
    const keepsRejected = has('keeps-half-a-rejected-page')
    if (keepsRejected || has('checks-the-first-id-of-a-page')) checkFirstOfPage(bulk, keepsRejected)
    if (has('ends-pages-at-expired-keys')) {
      bulk.readIdempotencyKeys = async (limit, after) => {
        const page = await readIdempotencyKeys.call(bulk, limit, after)
        const expired = page.findIndex(
          ({ at }) => at.getTime() <= Date.now() - IDEMPOTENCY_KEY_LIFETIME_MS,
        )
        return expired === -1 ? page : page.slice(0, expired)
      }
    }
    if (has('forgets-last-id')) bulk.movePetIdsPast = async () => {}
    if (has('forgets-bulk-keys')) bulk.writeIdempotencyKeys = async () => {}
    if (has('finds-the-last-id'))
      bulk.lastPetId = async () => [...pets.memory.pets.keys()].at(-1) ?? 0n
    if (has('ends-with-the-overlap')) apiKeys.endOf = (_, until) => until
    if (has('dates-keys-anew')) {
      bulk.writeIdempotencyKeys = (keys) =>
        writeIdempotencyKeys.call(
          bulk,
          keys.map((key) => ({ ...key, at: new Date(key.at.getTime() - 1) })),
        )
    }
    if (has('forgets-early-successors')) bulk.successorsBeside = (keys) => keys
    if (has('forgets-rotations')) bulk.toStored = (row) => row
    if (has('keeps-old-rotations')) {
      bulk.writeApiKeys = (keys) => {
        const before = new Map(apiKeys.rows.map((row) => [row.id, row.replacedBy]))
        const writing = writeApiKeys.call(bulk, keys)
        for (const [id, replacedBy] of before)
          if (replacedBy !== undefined) apiKeys.change(id, () => ({ replacedBy }))
        return writing
      }
    }
    if (has('keeps-old-hashes')) {
      bulk.writeApiKeys = (keys) => {
        const old = apiKeys.rows.filter((row) =>
          keys.some(({ id, sha256 }) => id === row.id && sha256 !== row.sha256),
        )
        const writing = writeApiKeys.call(bulk, keys)
        apiKeys.rows.push(...old)
        return writing
      }
    }
    const importing = async (writing: Promise<void>, pauseMs: number) => {
      writeFileSync(`${pathname}.importing`, '')
      // Long, so that a change comes into it on a busy machine too. In steps, because storing may
      // take longer than the whole pause, and calls whose time has come meanwhile come after it.
      for (let step = 0; step < 10; step += 1)
        await new Promise((resolve) => setTimeout(resolve, pauseMs / 10))
      rmSync(`${pathname}.importing`, { force: true })
      return writing
    }
    if (has('waits-for-no-import'))
      bulk.addPets = async (...given) => importing(addPets.apply(bulk, given), 100)
    if (has('waits-for-no-page'))
      bulk.writeIdempotencyKeys = async (keys) =>
        importing(writeIdempotencyKeys.call(bulk, keys), 1_500)
    if (has('stores-half-a-page')) {
      bulk.addPets = async (pets, progress) => {
        await addPets.call(bulk, pets.slice(1), progress)
        // Long, so that an outage comes into it.
        await new Promise((resolve) => setTimeout(resolve, 30))
        if (isDown()) throw new Error('ECONNRESET')
        transaction(pathname, (stored, save) => {
          void stored.pets.add(pets[0] as NewPet)
          save(stored)
        })
      }
    }
    if (has('stores-progress-later')) {
      bulk.addPets = async (pets, progress) => {
        await addPets.call(bulk, pets)
        if (progress === undefined) return
        // A moment later, as in a statement of its own. The call ends right after it, so that most
        // moments of it are before.
        setTimeout(() => {
          transaction(pathname, (stored, save) => {
            const later = new FakeBulk(stored.pets, stored.apiKeys, stored.imports)
            later.storeImport(progress.to)
            save({ ...stored, imports: later.imports })
          })
        }, 20)
        await new Promise((resolve) => setTimeout(resolve, 21))
      }
    }
    return bulk
  }

  const functions = BULK_ACCESS_FUNCTIONS.map((name) => [
    name,
    async (...args: unknown[]) => call(name, args),
  ])
  return { ...Object.fromEntries(functions), close: async () => {} }
}
