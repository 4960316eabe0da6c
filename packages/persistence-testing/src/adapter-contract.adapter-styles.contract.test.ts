import { createContext, runInContext } from 'node:vm'
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

/** What lists, dates and objects are made into. */
interface Form {
  readonly list?: (items: readonly unknown[]) => unknown
  readonly date?: (timeMs: number) => unknown
  readonly object?: (fields: object) => unknown
}

function inForm(value: unknown, form: Form): unknown {
  const { list, date, object } = form
  if (Array.isArray(value)) {
    const items = value.map((item) => inForm(item, form))
    return list?.(items) ?? items
  }
  if (value instanceof Date) return date?.(value.getTime()) ?? value
  if (typeof value !== 'object' || value === null) return value
  const all = Object.entries(value).map(([name, field]) => [name, inForm(field, form)])
  const fields = Object.fromEntries(all)
  return object?.(fields) ?? fields
}

/** As some test runners and sandboxes have it. */
const realm = createContext({})
const inRealm = (expression: string) => runInContext(expression, realm)

class Rows extends Array {}

const META: unique symbol = Symbol('meta')

class Entity {
  readonly #isLoaded = true
  readonly [META] = 1

  constructor(fields: object) {
    Object.assign(this, fields)
  }

  get isLoaded() {
    return this.#isLoaded
  }
}

const FORMS: Readonly<Record<string, Form>> = {
  'frozen lists, pets and keys': { list: Object.freeze, object: Object.freeze },
  'objects without a prototype, in lists of a subclass': {
    list: (items) => Rows.from(items),
    object: (fields) => Object.assign(Object.create(null), fields),
  },
  'instances of a class, in proxies of lists': {
    list: (items) => new Proxy(items, {}),
    object: (fields) => new Entity(fields),
  },
  'values of another realm': {
    list: inRealm('(items) => Array.from(items)'),
    date: inRealm('(timeMs) => new Date(timeMs)'),
    object: inRealm('(fields) => ({ ...fields })'),
  },
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
  ...Object.fromEntries(
    Object.entries(FORMS).map(([name, form]) => [
      `returns ${name}`,
      () => returning((value) => inForm(value, form)),
    ]),
  ),
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
