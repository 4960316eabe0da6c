import { createMemoryApiKeys } from '@pet-store/access/memory'
import { persistenceUnavailable } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import { apiKeyRepositoryContract, petRepositoryContract } from '@pet-store/persistence-testing'
import { expect, it } from 'vitest'

type Method = (...args: unknown[]) => Promise<unknown>

/** The same functions, each called in another way, or with another form of what it returns. */
function inStyle<Port extends object>(port: Port, style: (call: Method) => Method): Port {
  const functions = Object.entries(port).map(([name, call]) => [name, style(call as Method)])
  return Object.fromEntries(functions)
}

function frozen(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && !(value instanceof Date))
    for (const part of Object.values(Object.freeze(value))) frozen(part)
  return value
}

function withoutPrototype(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototype)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  const fields = Object.entries(value).map(([name, field]) => [name, withoutPrototype(field)])
  return Object.assign(Object.create(null), Object.fromEntries(fields))
}

const returning =
  (change: (value: unknown) => unknown) =>
  (call: Method): Method =>
  async (...args) =>
    change(await call(...args))

/** Reads take no turn of the event loop, writes do. */
const writingLater =
  (call: Method): Method =>
  async (...args) => {
    if (/^(?:add|replace|revoke|markUsed)/.test(call.name))
      await new Promise((resolve) => setImmediate(resolve))
    return call(...args)
  }

/** Rejects calls beyond `limit`, as the ports allow. */
function withQueueOf(limit: number): (call: Method) => Method {
  let running = 0
  return (call) =>
    async (...args) => {
      if (running >= limit) throw persistenceUnavailable()
      running += 1
      try {
        await new Promise((resolve) => setImmediate(resolve))
        return await call(...args)
      } finally {
        running -= 1
      }
    }
}

const STYLES: Readonly<Record<string, () => (call: Method) => Method>> = {
  'returns frozen lists, pets and keys': () => returning(frozen),
  'returns objects without a prototype': () => returning(withoutPrototype),
  'reads from memory, and writes to a disk': () => writingLater,
  'has a queue of 64 calls': () => withQueueOf(64),
}

it.each(Object.keys(STYLES))('no case rejects a correct adapter that %s', async (name) => {
  const style = STYLES[name] as () => (call: Method) => Method
  const broken: string[] = []
  const note = (id: string) => (error: unknown) => void broken.push(`${id}: ${String(error)}`)
  await Promise.all([
    ...petRepositoryContract.map(({ id, run }) =>
      run(inStyle(createMemoryPets(), style())).catch(note(id)),
    ),
    ...apiKeyRepositoryContract.map(({ id, run }) =>
      run(inStyle(createMemoryApiKeys(), style())).catch(note(id)),
    ),
  ])
  expect(broken).toEqual([])
})
