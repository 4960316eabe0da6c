import type { ApiKeyRepository, RateLimit } from '@pet-store/access'
import type { Pet } from '@pet-store/domain'
import type { Persistence } from '@pet-store/persistence'
import { expectKey, expectWorks } from '../adapter/expect-works.ts'
import { linesOf, withProcesses } from '../adapter/other-process/other-process.ts'
import { apiKeysOf, rateLimiterOf, withPersistence } from '../adapter/with-persistence.ts'
import { expectRevocationsKept, expectRevokedOnce } from '../api-key-cases/ending.ts'
import { awaitedLater } from '../case/awaited-later.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { aTurnLater, wait } from '../case/wait.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { assertSeveralProcesses } from '../harness/several-processes.ts'
import { untilNoWindowEnds } from '../rate-limiter-cases/long-window.ts'
import { aNewApiKey, withoutHash } from '../test-data/new-api-keys.ts'
import { anIdempotencyKey } from '../test-data/new-idempotency-keys.ts'
import { addKeyed, addPets, aNewPet } from '../test-data/new-pets.ts'
import { ascending, idsOf, listAll, petsByName } from '../test-data/stored-pets.ts'
import { after } from '../test-data/times.ts'

const GROUP = { group: 'persistence.shared', timeLimitMs: 120_000 }

/** Two openings of one database, as two processes have them, see the same and decide together. */
export const sharingCases: readonly HarnessCase[] = casesOf(GROUP, {
  'pets: shares pets between two openings, under different ids': twice(async (one, other) => {
    const added = (await Promise.all([one, other].map(({ pets }) => addPets(pets, 15)))).flat()
    expectEqual(new Set(idsOf(added)).size, 30, 'the number of different ids of 30 pets')
    for (const { pets } of [one, other]) {
      expectEqual(
        idsOf(await listAll(pets)),
        ascending(idsOf(added)),
        'each opening must list all pets',
      )
    }
  }),
  'fresh-reads: reads at once what another opening has written, even where it has read before':
    twice(async (one, other) => {
      for (let round = 0; round < 4; round += 1) {
        const last = (await listAll(other.pets)).at(-1)?.id ?? 0n
        await other.pets.list({ status: 'sold', limit: 20 })
        await other.pets.list({ after: last, limit: 5 })
        await other.pets.list({ status: 'sold', after: last, limit: 5 })
        // One of them will be the next.
        await Promise.all(
          Array.from({ length: 20 }, (_, index) => other.pets.find(last + BigInt(index + 1))),
        )
        const added = await one.pets.add(aNewPet({ status: 'sold' }))
        expectEqual(
          await other.pets.find(added.id),
          added,
          'find must return a pet that the other one added',
        )
        expectEqual((await listAll(other.pets)).at(-1), added, 'the last pet of the list')
        const sold = await other.pets.list({ status: 'sold', limit: 20 })
        expectEqual(sold.at(-1), added, 'the last pet of the list by status')
        for (const query of [{}, { status: 'sold' }] as const) {
          const page = await other.pets.list({ ...query, after: last, limit: 5 })
          expectEqual(page, [added], 'the page after the pet that was the last')
        }
      }
      // All of these ids were looked for before, not only those that came next.
      for (let count = 0; count < 16; count += 1) {
        const added = await (count % 2 === 0
          ? one.pets.add(aNewPet())
          : addKeyed(one.pets, aNewPet()))
        expectEqual(await other.pets.find(added.id), added, 'a pet that was looked for before')
      }
    }),
  'reader: reads at once what another opening has written, even when opened only for reading':
    async (harness) => {
      assertSeveralProcesses(harness)
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      await withPersistence(harness, url, async (writer) => {
        await writer.pets.add(aNewPet())
        const reader = await harness.open({ url, mode: 'read' })
        try {
          await expectReadAtOnce(reader, writer)
        } finally {
          await reader.close()
        }
      })
      // What openings share must not be for reading alone because the first one is.
      const reader = await harness.open({ url, mode: 'read' })
      try {
        await withPersistence(harness, url, async (writer) => {
          await expectReadAtOnce(reader, writer)
          await expectWorks(writer, 'opened after a reader')
        })
      } finally {
        await reader.close()
      }
    },
  'reader-beside-writes: reads whole pets, and all acknowledged ones, while another process writes':
    withProcesses(async (harness, start) => {
      assertSeveralProcesses(harness)
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      await withPersistence(harness, url, async () => {})
      const reader = await harness.open({ url, mode: 'read' })
      const writer = start(url, WRITES)
      let acknowledged = 0
      writer.onLines(({ length }) => {
        acknowledged = length
      })
      let hasEnded = false
      const ended = awaitedLater(linesOf(writer).finally(() => (hasEnded = true)))
      try {
        while (!hasEnded) {
          for (const status of [undefined, 'sold'] as const) {
            const known = acknowledged
            expectWritten(await petsByName(reader.pets, status), known)
            // The writer needs the processor too.
            await wait(2)
          }
        }
        expectWritten(await petsByName(reader.pets), (await ended).length)
      } finally {
        writer.kill()
        await writer.ended
        await reader.close()
      }
    }),
  'close: closes one opening without the others': async (harness) => {
    assertSeveralProcesses(harness)
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    const first = await harness.open({ url, mode: 'migrate' })
    await withPersistence(harness, url, async (second) => {
      const third = await harness.open({ url, mode: 'migrate' })
      await expectWorks(third, 'third')
      await first.close()
      await third.close()
      await expectWorks(second, 'second')
    })
  },
  'while-closing: opens while the last other opening is being closed': async (harness) => {
    assertSeveralProcesses(harness)
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    let opened = await harness.open({ url, mode: 'migrate' })
    try {
      for (let round = 0; round < CLOSING_ROUNDS; round += 1) {
        const added = await opened.pets.add(aNewPet())
        const closing = awaitedLater(opened.close())
        // Most steps of closing end in the same turn of the event loop.
        for (let step = 0; step < round; step += 1) await Promise.resolve()
        for (let turn = CLOSING_STEPS; turn < round; turn += 1) await aTurnLater()
        const opening = awaitedLater(harness.open({ url }))
        await closing
        opened = await opening
        expectEqual(await opened.pets.find(added.id), added, 'a pet that was added before closing')
      }
      await expectWorks(opened, 'last')
    } finally {
      await opened.close()
    }
  },
  'idempotency-keys: shares idempotency keys between two openings': twice(async (one, other) => {
    const key = anIdempotencyKey()
    const calls = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? one : other))
    const created = await Promise.all(calls.map(({ pets }) => pets.addWithKey(aNewPet(), key)))
    expectEqual(
      new Set(created.map(({ pet }) => pet.id)).size,
      1,
      'the number of pets that 20 calls with one key return',
    )
    expectEqual(
      created.filter(({ isReplay }) => !isReplay).length,
      1,
      'the number of calls that stored a pet',
    )
    expectEqual((await listAll(one.pets)).length, 1, 'the number of pets that are stored')
  }),
  'limits: shares rate limits between openings, even with a later one': twice(
    async (one, other, open) => {
      await untilNoWindowEnds(rateLimiterOf(one))
      const limiters = [one, other].map((opened) => rateLimiterOf(opened)(LIMIT))
      const taken = await Promise.all(
        Array.from({ length: 30 }, async (_, index) => limiters[index % 2]?.take('key_kiosk')),
      )
      const allowed = taken.filter((allowance) => allowance?.isAllowed).length
      expectEqual(allowed, 10, 'the number of requests that two openings allow together')
      const third = await open()
      try {
        const { isAllowed } = await rateLimiterOf(third)(LIMIT).take('key_kiosk')
        expectEqual(
          isAllowed,
          false,
          'isAllowed of a key that had used its limit before an opening',
        )
      } finally {
        await third.close()
      }
    },
  ),
  'api-keys: reads at once every change of an API key in another opening, by every function': twice(
    async (...[first, second]) => {
      const [one, other] = [first, second].map(apiKeysOf) as [ApiKeyRepository, ApiKeyRepository]
      // Often: what an adapter caches may be renewed meanwhile by chance.
      for (let count = 0; count < 6; count += 1) {
        const key = aNewApiKey(`${count}`)
        expectEqual(await other.findByHash(key.sha256), undefined, 'a key that was not added yet')
        expectEqual(await other.find(key.id), undefined, 'a key that was not added yet')
        await other.list()
        await one.add(key)
        await expectKey(other, key.sha256, withoutHash(key))
        await one.markUsed([{ id: key.id, at: after(3) }])
        const used = { ...withoutHash(key), lastUsedAt: after(3) }
        await expectKey(other, key.sha256, used)
        const successor = aNewApiKey(`next ${count}`)
        expectEqual(await other.findByHash(successor.sha256), undefined, 'no successor yet')
        await one.replace(key.id, successor, after(10))
        const replaced = { ...used, expiresAt: after(10), replacedBy: successor.id }
        await expectKey(other, key.sha256, replaced)
        await expectKey(other, successor.sha256, withoutHash(successor))
        await one.revoke(key.id, after(5), 'Ada')
        await expectKey(other, key.sha256, {
          ...replaced,
          revokedAt: after(5),
          revokedBy: 'Ada',
        })
      }
    },
  ),
  'revocations: keeps a revocation when another opening uses and replaces the key': twice(
    async (one, other) => {
      await expectRevocationsKept(apiKeysOf(one), apiKeysOf(other))
      await expectRevokedOnce(apiKeysOf(one), apiKeysOf(other))
    },
  ),
})

async function expectReadAtOnce(reader: Persistence, writer: Persistence): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    const pet = await writer.pets.add(aNewPet())
    expectEqual(await reader.pets.find(pet.id), pet, 'a pet that the other one added')
    const written = await listAll(writer.pets)
    expectEqual(idsOf(written).includes(pet.id), true, 'whether its own list has the pet')
    expectEqual(await listAll(reader.pets), written, 'the pets of the opening for reading')
    await writer.apiKeys?.add(aNewApiKey(`${pet.id}`))
    const keys = await writer.apiKeys?.list()
    const read = await reader.apiKeys?.list()
    expectEqual(read?.length, keys?.length, 'the number of API keys')
    expectEqual(
      read?.some(({ id }) => id === aNewApiKey(`${pet.id}`).id),
      read && true,
      'whether the opening for reading has the key',
    )
  }
}

/** Opens an empty database twice; `open` opens it again. */
function twice(
  work: (one: Persistence, other: Persistence, open: () => Promise<Persistence>) => Promise<void>,
): HarnessCase['run'] {
  return async (harness) => {
    assertSeveralProcesses(harness)
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    await withPersistence(harness, url, (one) =>
      withPersistence(harness, url, (other) =>
        work(one, other, () => harness.open({ url, mode: 'migrate' })),
      ),
    )
  }
}

/** Adds pets, longer than a page of a file, and prints a line for each, in the order of ids. */
const WRITES = `
  const opened = await open({ url, mode: 'write' })
  const { pets } = opened
  for (let count = 0; count < 40; count += 1) {
    const name = count + ' ' + 'x'.repeat(900)
    const pet = { name, categoryId: BigInt(count), status: 'sold' }
    const key = { owner: 'shop', key: String(count), fingerprint: name }
    await (count % 2 === 0 ? pets.add(pet) : pets.addWithKey(pet, key))
    print(count)
  }
  await opened.close()`

/** Every pet that is read is as it was written, and the first ones are all there. */
function expectWritten(stored: ReadonlyMap<string, Pet>, acknowledged: number): void {
  const names = Array.from(
    { length: Math.max(acknowledged, stored.size) },
    (_, count) => `${count} ${'x'.repeat(900)}`,
  )
  expectEqual([...stored.keys()], names, 'the names of the pets that another process adds')
  const rest = [...stored.values()].map(({ categoryId, status }) => ({ categoryId, status }))
  const expected = names.map((_, count) => ({ categoryId: BigInt(count), status: 'sold' }))
  expectEqual(rest, expected, 'the other fields of the pets that another process adds')
}

const CLOSING_STEPS = 12
const CLOSING_ROUNDS = 15

const LIMIT: RateLimit = { requests: 10, windowMs: 3_600_000 }
