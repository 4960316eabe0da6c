import assert from 'node:assert/strict'
import { isPetError } from '@pet-store/domain'
import type { BulkAccess, PetImport } from '@pet-store/persistence'
import { everyBulkCall } from '../adapter/every-bulk-call.ts'
import {
  aRandomMoment,
  CALL_LIMIT_MS,
  expectNotOpened,
  OPENING_LIMIT_MS,
} from '../adapter/outage.ts'
import { untilAvailable } from '../adapter/until-available.ts'
import { openBulkAccessOf, withBulkAccess } from '../adapter/with-persistence.ts'
import { ALL, importOf } from '../bulk-cases/items.ts'
import { awaitedLater } from '../case/awaited-later.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectPromise } from '../case/expect-promise.ts'
import { expectEqual, expectRejection } from '../case/expectations.ts'
import { endWithin } from '../case/time-limit.ts'
import { aMomentLater, aTurnLater } from '../case/wait.ts'
import { memberOf } from '../harness/harness-members.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { maxOpenings } from '../harness/several-processes.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import {
  expectMoved,
  expectWritten,
  OTHER_IDS,
  type Written,
  writeUntilRejected,
} from './written-in-bulk.ts'

const GROUP = { group: 'persistence.unavailable', timeLimitMs: 180_000 }
/** How many imports are interrupted, each at another moment of a write. */
const IMPORTS = 12
const PAGE = 5
/** In this time an adapter may repeat a call that was interrupted. */
const REPEATED_WITHIN_MS = 1_000
/** The pets that are written get greater ids than the pets that are added. */
const MORE_THAN_IMPORTED = 1_000_000n

/** What commands such as `import` see of an outage. */
export const unavailableBulkCases: readonly HarnessCase[] = casesOf(GROUP, {
  'bulk: rejects each call of bulk access in time while unavailable, and stores pages or nothing':
    async (harness, scale) => {
      const openBulkAccess = openBulkAccessOf(harness)
      const interrupt = memberOf(harness, 'interrupt')
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      const open = () => openBulkAccess({ url, mode: 'migrate' })
      await withBulkAccess(harness, url, async (bulk) => {
        await bulk.writePets([{ id: 1n, ...aNewPet() }])
        await bulk.movePetIdsPast(1n)
      })
      const expected = { pets: 1 }
      const together = maxOpenings(harness, 4)
      for (let round = 0; round <= IMPORTS / together; round += 1) {
        const firstId = BigInt(round + 1) * MORE_THAN_IMPORTED
        const ids = Array.from({ length: together }, (_, index) => firstId + BigInt(index))
        const opened = await Promise.all(ids.map(open))
        const hasEnded = { value: false }
        const importing = ids.map((id, index) =>
          importUntilRejected(opened[index] as BulkAccess, id, hasEnded),
        )
        await momentOf(round)
        const { end, readsWork = false } = await interrupt(url)
        let lines: readonly number[]
        try {
          const all = () => Promise.all(importing)
          lines = await endWithin(CALL_LIMIT_MS * scale, all, 'addPets')
          await expectRejected(opened[0] as BulkAccess, firstId + 100n, readsWork, scale)
          if (!readsWork) await expectNotOpened(() => openBulkAccess({ url }), scale)
          const closed = await endWithin(
            OPENING_LIMIT_MS * scale,
            () => Promise.allSettled(opened.map(closeAsPromise)),
            'close',
          )
          for (const one of closed)
            if (one.status === 'rejected' && one.reason instanceof assert.AssertionError)
              throw one.reason
        } finally {
          hasEnded.value = true
          await end()
        }
        const again = await untilAvailable(open)
        try {
          const imports = await again.readPetImports()
          for (const [index, id] of ids.entries())
            expected.pets += assertPages(imports, id, lines[index] ?? 0)
          expectEqual(await again.countPets(), expected.pets, 'the number of pets; each is a line')
          for (const { run } of everyBulkCall(again, firstId + 200n)) await run()
          // One that was written, one that was added.
          expected.pets += 2
        } finally {
          await again.close()
        }
      }
      await aMomentLater()
      await withBulkAccess(harness, url, async (bulk) => {
        expectEqual(await bulk.countPets(), expected.pets, 'the number of pets at the end')
      })
    },
  'bulk-once: stores an interrupted page of bulk access once at most, and never if not_stored':
    async (harness, scale) => {
      const openBulkAccess = openBulkAccessOf(harness)
      const interrupt = memberOf(harness, 'interrupt')
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      await withBulkAccess(harness, url, async (bulk) => {
        await bulk.writePets([{ id: 1n, ...aNewPet() }])
        await bulk.movePetIdsPast(1n)
      })
      const together = maxOpenings(harness, 4)
      const added: string[] = []
      const notStored: string[] = []
      const others: Written[] = []
      for (let round = 0; round <= IMPORTS / together; round += 1) {
        const labels = Array.from({ length: together }, (_, index) => `${round}-${index}`)
        const opened = await Promise.all(
          labels.map(() => untilAvailable(() => openBulkAccess({ url, mode: 'write' }))),
        )
        // An adapter may find out about the interruption later, or never.
        const hasEnded = { value: false }
        const adding = opened.map((bulk, index) =>
          addUntilRejected(bulk, labels[index] ?? '', hasEnded),
        )
        // Beside the pages of one, because all are interrupted at the same time.
        const writing = awaitedLater(
          writeUntilRejected(opened[0] as BulkAccess, BigInt(round + 1) * OTHER_IDS, hasEnded),
        )
        try {
          await momentOf(round)
          const { end } = await interrupt(url)
          await aRandomMoment(20, 40)
          await end()
        } finally {
          hasEnded.value = true
        }
        const all = () => Promise.all(adding)
        for (const pages of await endWithin(CALL_LIMIT_MS * scale, all, 'addPets')) {
          added.push(...pages.added)
          notStored.push(...pages.notStored)
        }
        const written = await endWithin(CALL_LIMIT_MS * scale, () => writing, 'A write')
        others.push(...written)
        await Promise.allSettled(opened.map(async (bulk) => bulk.close()))
        const again = await untilAvailable(() => openBulkAccess({ url, mode: 'write' }))
        try {
          await expectMoved(again, written)
        } finally {
          await again.close()
        }
      }
      await aMomentLater(REPEATED_WITHIN_MS)
      await withBulkAccess(harness, url, async (bulk) => {
        const stored: string[] = []
        for (const { name } of await bulk.readPets({ after: 1n, limit: ALL })) stored.push(name)
        const counts = new Map<string, number>()
        for (const name of stored) counts.set(name, (counts.get(name) ?? 0) + 1)
        for (const [name, count] of counts)
          assert.ok(
            count === PAGE,
            `the page ${name} must be stored once, got ${count} of ${PAGE} pets`,
          )
        const missing = added.filter((name) => !counts.has(name))
        expectEqual(missing, [], 'the pages whose call has resolved, and are not stored')
        const untrue = notStored.filter((name) => counts.has(name))
        expectEqual(untrue, [], 'the pages whose call said not_stored, and are stored')
        await expectWritten(bulk, others)
      })
    },
})

/**
 * When to interrupt calls that follow each other. In the first round it is the turn in which they
 * begin: a busy machine may leave none under way at a later moment.
 */
async function momentOf(round: number): Promise<void> {
  if (round > 0) await aRandomMoment(10, 60)
}

/** The names of pages. */
interface Pages {
  readonly added: readonly string[]
  /** Those of which the error says so; it may say nothing. */
  readonly notStored: readonly string[]
}

/** It may reject, but not throw. */
const closeAsPromise = (bulk: BulkAccess) => expectPromise('bulk.close', () => bulk.close())

/** Adds pages of pets, each with its own name, until one is rejected. */
async function addUntilRejected(
  bulk: BulkAccess,
  label: string,
  hasEnded: { readonly value: boolean },
): Promise<Pages> {
  const added: string[] = []
  while (!hasEnded.value) {
    const name = `${label}-${added.length}`
    try {
      await bulk.addPets(Array.from({ length: PAGE }, () => aNewPet({ name })))
    } catch (error) {
      const isNotStored = isPetError(error) && error.outcome === 'not_stored'
      return { added, notStored: isNotStored ? [name] : [] }
    }
    added.push(name)
    await aTurnLater()
  }
  return { added, notStored: [] }
}

/** Expects every function to reject in time, one after the other: a command has one connection. */
async function expectRejected(
  bulk: BulkAccess,
  id: bigint,
  readsWork: boolean,
  scale: number,
): Promise<void> {
  for (const { name, isRead, run } of everyBulkCall(bulk, id)) {
    if (isRead && readsWork) continue
    await expectRejection(
      () => endWithin(CALL_LIMIT_MS * scale, run, name),
      `${name} must reject within ${CALL_LIMIT_MS} ms`,
    )
  }
}

/** Returns how many lines of an import are stored: the earlier ones, perhaps the last page too. */
function assertPages(imports: readonly PetImport[], id: bigint, acknowledged: number): number {
  const stored = imports.find((one) => one.id === id)?.lines ?? 0
  assert.ok(
    stored === acknowledged || stored === acknowledged + PAGE,
    `${acknowledged} lines of an import must be stored, or also the page that was rejected, ` +
      `got ${stored}`,
  )
  return stored
}

/** Adds pages of an import until one is rejected, and returns how many lines were stored. */
async function importUntilRejected(
  bulk: BulkAccess,
  id: bigint,
  hasEnded: { readonly value: boolean },
): Promise<number> {
  const pets = Array.from({ length: PAGE }, () => aNewPet())
  let from = importOf({ id, lines: 0 })
  for (let lines = PAGE; !hasEnded.value; lines += PAGE) {
    const to = importOf({ id, lines })
    try {
      await bulk.addPets(pets, { to, ...(lines > PAGE && { from }) })
    } catch {
      return from.lines
    }
    from = to
    // A call may resolve before anything else can run.
    await aTurnLater()
  }
  return from.lines
}
