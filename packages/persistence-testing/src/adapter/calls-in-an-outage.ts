import type { BulkAccess } from '@pet-store/persistence'
import { CALL_TURNS } from './expect-nothing-left.ts'

/** How many descriptors, other resources and listeners there are. */
export const COUNTING = `
  const { readdirSync } = await import('node:fs')
  const countListeners = () =>
    process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)
  const count = () => {
    try {
      return countListeners() + readdirSync('/proc/self/fd').length
    } catch {
      return countListeners() + process.getActiveResourcesInfo().length
    }
  }`

/** The arguments of every function of bulk access; the compiler asks for each. */
const BULK_CALLS: Readonly<Record<Exclude<keyof BulkAccess, 'close'>, string>> = {
  countPets: '',
  readPets: '{ limit: 1 }',
  writePets: '[{ ...pet, id: 9n }]',
  addPets: '[pet]',
  readPetImports: '',
  writePetImports: "[{ id: 1n, sha256, state: 'unfinished', lines: 1, changedAt: at }]",
  readIdempotencyKeys: '1',
  writeIdempotencyKeys: "[{ owner: 'o', key: 'k', fingerprint: 'Rex', petId: 1n, at }]",
  readApiKeys: '',
  writeApiKeys: '[apiKey]',
  lastPetId: '',
  movePetIdsPast: '9n',
}

/** An adapter may hold a call of bulk access back for a minute: then one of each is enough. */
const SLOW_MS = 3_000
/** So few at the same time that none of them needs a warning for the listeners that it has. */
const AT_ONCE = 4

/**
 * A script that calls every function often during an outage, of bulk access too if it can be opened
 * beside, prints how many more descriptors there are after either, closes, and opens; all may
 * reject. A listener that is left in an emitter is a warning, which counts as much as all calls.
 */
export const CALLS_IN_AN_OUTAGE: string = `
  ${COUNTING}
  const opened = await open({ url, mode: 'migrate' })
  const openBulk = (await import(module))[values[0]]
  const bulk = await openBulk?.({ url, mode: 'migrate' }).catch(() => undefined)
  await opened.pets.list({ limit: 1 })
  process.stdin.once('data', () => print('open'))
  await new Promise((resolve) => process.stdin.once('end', resolve))
  const { pets, apiKeys } = opened
  const pet = { name: 'Rex', categoryId: 1n }
  const at = new Date()
  const sha256 = 'f'.repeat(64)
  const apiKey = { id: 'k', sha256, name: 'k', scopes: [], createdAt: at }
  const calls = [
    () => opened.check(), () => opened.isMigrated?.(), () => opened.readClock?.(),
    () => pets.add(pet), () => pets.find(1n), () => pets.list({ limit: 1 }),
    () => pets.addWithKey(pet, { owner: 'o', key: 'k', fingerprint: 'Rex' }),
    () => apiKeys?.add(apiKey), () => apiKeys?.replace('k', apiKey, at),
    () => apiKeys?.find('k'), () => apiKeys?.findByHash(sha256), () => apiKeys?.list(),
    () => apiKeys?.listChangedSince?.(at), () => apiKeys?.revoke('k', at),
    () => apiKeys?.markUsed([{ id: 'k', at }]),
    () => opened.createRateLimiter?.({ requests: 1, windowMs: 1_000 }).take('k'),
  ]
  const bulkCalls = [
    ${Object.entries(BULK_CALLS)
      .map(([name, values]) => `() => bulk?.${name}(${values})`)
      .join(', ')}
  ]
  const callAll = (list) => Promise.allSettled(list.map(async (call) => call()))
  const callBulk = async () => {
    for (let first = 0; first < bulkCalls.length; first += ${AT_ONCE})
      await callAll(bulkCalls.slice(first, first + ${AT_ONCE}))
  }
  const left = async (turn) => {
    // A connection that was lost is no longer open by then.
    await new Promise((resolve) => setTimeout(resolve, 200))
    const before = count()
    for (let done = 0; done < ${CALL_TURNS}; done += 1) await turn()
    for (let waits = 0; waits < 50 && count() > before; waits += 1)
      await new Promise((resolve) => setTimeout(resolve, 20))
    return count() - before
  }
  await callAll(calls)
  print(await left(() => callAll(calls)))
  let warnings = 0
  process.on('warning', ({ name }) => {
    if (name === 'MaxListenersExceededWarning') warnings += 1
  })
  const beginMs = performance.now()
  await callBulk()
  const isSlow = performance.now() - beginMs > ${SLOW_MS}
  print(isSlow ? 0 : (await left(callBulk)) + warnings * ${CALL_TURNS})
  await opened.close().catch(() => undefined)
  await bulk?.close().catch(() => undefined)
  const again = await open({ url }).catch(() => undefined)
  await again?.close()`
