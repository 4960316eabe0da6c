import type { FakeBulk } from './fake-bulk.test-support.ts'
import { textOf } from './fake-pets.test-support.ts'
import { broken, type Faults, isTooLongForIndex, pause } from './fault.test-support.ts'

/** What bulk access does wrong with idempotency keys. */
export const bulkKeyFaults: Faults<FakeBulk> = {
  'idempotency-keys.fields: rounds the ids of pets': (_, { writeIdempotencyKeys }) => ({
    writeIdempotencyKeys: (keys) =>
      writeIdempotencyKeys(keys.map((key) => ({ ...key, petId: BigInt(Number(key.petId)) }))),
  }),
  'idempotency-keys.fields: cuts fingerprints to 255 characters': (
    _,
    { writeIdempotencyKeys },
  ) => ({
    writeIdempotencyKeys: (keys) =>
      writeIdempotencyKeys(
        keys.map((key) => ({ ...key, fingerprint: key.fingerprint.slice(0, 255) })),
      ),
  }),
  'idempotency-keys.fields: rejects a fingerprint that stays too long for an index': (
    _,
    { writeIdempotencyKeys },
  ) => ({
    writeIdempotencyKeys: async (keys) =>
      keys.some(({ fingerprint }) => isTooLongForIndex(fingerprint))
        ? broken()
        : writeIdempotencyKeys(keys),
  }),
  'idempotency-keys.odd: takes two keys of a call for one if their joined texts are equal': (
    _,
    { writeIdempotencyKeys },
  ) => ({
    writeIdempotencyKeys: (keys) =>
      writeIdempotencyKeys([
        ...new Map(keys.map((one) => [`${one.owner}:${one.key}`, one])).values(),
      ]),
  }),
  'idempotency-keys.after: goes on at the position of a key': (_, { readIdempotencyKeys }) => ({
    async readIdempotencyKeys(limit, after) {
      const all = await readIdempotencyKeys(99_999)
      const index = all.findIndex(({ owner, key }) => owner === after?.owner && key === after.key)
      return all.slice(index + 1, index + 1 + limit)
    },
  }),
  'idempotency-keys.many: orders keys by number': (_, { readIdempotencyKeys }) => ({
    async readIdempotencyKeys(limit, after) {
      const all = (await readIdempotencyKeys(99_999)).toSorted(
        (one, other) => one.owner.localeCompare(other.owner) || Number(one.key) - Number(other.key),
      )
      const index = all.findIndex(({ owner, key }) => owner === after?.owner && key === after.key)
      return all.slice(index + 1, index + 1 + limit)
    },
  }),
  'idempotency-keys.many: writes a thousand keys at a time': (_, { writeIdempotencyKeys }) => ({
    async writeIdempotencyKeys(keys) {
      for (let start = 0; start < keys.length; start += 1_000)
        await writeIdempotencyKeys(keys.slice(start, start + 1_000))
    },
  }),
  'idempotency-keys.orders: ends one of two calls that write the same keys': (
    _,
    { writeIdempotencyKeys },
  ) => {
    let running = 0
    return {
      async writeIdempotencyKeys(keys) {
        running += 1
        await pause()
        if (running > 1) broken()
        await writeIdempotencyKeys(keys)
        running -= 1
      },
    }
  },
  'idempotency-keys.orders: lets two calls write in turns': (_, { writeIdempotencyKeys }) => ({
    async writeIdempotencyKeys(keys) {
      for (const key of keys) {
        await pause()
        await writeIdempotencyKeys([key])
      }
    },
  }),
  ...skippedBeside('writeIdempotencyKeys'),
  ...skippedBeside('writePetImports'),
  ...skippedBeside('writeApiKeys'),
  ...insertedTwice('writeIdempotencyKeys'),
  ...insertedTwice('writePetImports'),
  ...insertedTwice('writeApiKeys'),
  'idempotency-keys.odd: goes on after the same text in another case': (
    _,
    { readIdempotencyKeys },
  ) => ({
    async readIdempotencyKeys(limit, after) {
      const page = await readIdempotencyKeys(99_999, after)
      return page
        .filter(({ key }) => key.toLowerCase() !== after?.key.toLowerCase())
        .slice(0, limit)
    },
  }),
  'idempotency-keys: reads idempotency keys without an order': (bulk) => ({
    readIdempotencyKeys: async (limit) =>
      [...bulk.memory.keys.values()].map(({ key, id }) => ({ ...key, petId: id })).slice(0, limit),
  }),
  'idempotency-keys: goes on at the next owner': (_, { readIdempotencyKeys }) => ({
    async readIdempotencyKeys(limit, after) {
      const all = await readIdempotencyKeys(99)
      return all.filter(({ owner }) => after === undefined || owner > after.owner).slice(0, limit)
    },
  }),
  'idempotency-keys: rejects an idempotency key that is stored': (bulk, original) => ({
    async writeIdempotencyKeys(keys) {
      if (keys.some((key) => bulk.memory.keys.has(textOf(key)))) broken()
      return original.writeIdempotencyKeys(keys)
    },
  }),
}

type WriteKeyed = 'writeIdempotencyKeys' | 'writePetImports' | 'writeApiKeys'

/** As an adapter does that looks for an item before it inserts it. */
function insertedTwice(name: WriteKeyed): Faults<FakeBulk> {
  return {
    [`orders.new: rejects an item that another call of ${name} is inserting`]: (_, original) => {
      const write = original[name] as (items: readonly unknown[]) => Promise<void>
      let inserting = false
      return {
        async [name](items: readonly unknown[]) {
          const isOne = items.length === 1
          if (isOne && inserting) broken()
          inserting = isOne
          await pause()
          await write(items)
          inserting = false
        },
      }
    },
  }
}

/** As an adapter does that repeats a transaction, but has used up what it writes. */
function skippedBeside(name: WriteKeyed): Faults<FakeBulk> {
  return {
    [`orders: stores nothing by ${name} beside another call, but resolves`]: (_, original) => {
      const write = original[name] as (items: readonly unknown[]) => Promise<void>
      let running = 0
      return {
        async [name](items: readonly unknown[]) {
          running += 1
          await pause()
          if (running === 1) await write(items)
          running -= 1
        },
      }
    },
  }
}
