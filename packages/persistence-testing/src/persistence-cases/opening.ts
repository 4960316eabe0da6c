import assert from 'node:assert/strict'
import { CALLS_IN_AN_OUTAGE, COUNTING } from '../adapter/calls-in-an-outage.ts'
import { everyBulkCall } from '../adapter/every-bulk-call.ts'
import { everyCall, prepareCalls } from '../adapter/every-call.ts'
import { expectApart, expectBulkApart, useOnce } from '../adapter/expect-apart.ts'
import { CALL_TURNS, expectNothingLeft } from '../adapter/expect-nothing-left.ts'
import { expectWorks } from '../adapter/expect-works.ts'
import {
  linesOf,
  type StartProcess,
  withProcesses,
} from '../adapter/other-process/other-process.ts'
import { rejectedBulkCalls, rejectedCalls } from '../adapter/rejected-calls.ts'
import { withBulkAccess, withPersistence } from '../adapter/with-persistence.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { memberOf } from '../harness/harness-members.ts'
import type { HarnessCase, PersistenceHarness } from '../harness/persistence-harness.ts'
import { assertSeveralProcesses } from '../harness/several-processes.ts'
import { idsOf, listAll } from '../test-data/stored-pets.ts'

const GROUP = { group: 'persistence.open', timeLimitMs: 120_000 }

/** Openings at the same time, of several databases, that are rejected, and many of them. */
export const openingCases: readonly HarnessCase[] = casesOf(GROUP, {
  'at-once: opens a new database for all, or for one, of several that open it at the same time':
    async (harness) => {
      const url = await harness.emptyDatabase()
      const results = await Promise.allSettled(
        [1, 2, 3].map(async () => harness.open({ url, mode: 'migrate' })),
      )
      const opened = results.flatMap((result) =>
        result.status === 'fulfilled' ? [result.value] : [],
      )
      try {
        assert.ok(opened.length > 0, 'one of several openings at the same time must resolve')
        if (harness.capabilities !== undefined) {
          const expected = harness.capabilities.severalProcesses ? 3 : 1
          expectEqual(
            opened.length,
            expected,
            'the number of openings that resolve, as severalProcesses declares',
          )
        }
        for (const [index, one] of opened.entries()) await expectWorks(one, `opening ${index}`)
        const lists = await Promise.all(opened.map(({ pets }) => listAll(pets)))
        for (const list of lists)
          expectEqual(idsOf(list), idsOf(lists[0] ?? []), 'each opening must list the same pets')
        await opened.shift()?.close()
        for (const [index, one] of opened.entries()) await expectWorks(one, `other ${index}`)
      } finally {
        for (const one of opened) await one.close()
      }
      await withPersistence(harness, url, (again) => expectWorks(again, 'again'))
    },
  'processes: opens a new database for several processes that open it at the same time':
    withProcesses(async (harness, start) => {
      assertSeveralProcesses(harness)
      const names = ['a', 'b', 'c']
      const processes = names.map((name) => start('', OPENS, [name]))
      // What each of them needs to begin is loaded by then.
      await Promise.all(processes.map(({ tell }) => tell('')))
      const endMs = performance.now() + OPENING_MS
      for (let round = 0; round < OPENING_ROUNDS && performance.now() < endMs; round += 1) {
        const url = await harness.emptyDatabase()
        const start = JSON.stringify({ url, atMs: Date.now() + 10 })
        await Promise.all(processes.map(({ tell }) => tell(start)))
        await withPersistence(harness, url, async ({ pets }) => {
          const added = (await listAll(pets)).map(({ name }) => name)
          expectEqual(
            added.toSorted(),
            names,
            'the names of the pets that three processes have added to a new database',
          )
        })
      }
      for (const { tell } of processes) await tell(undefined)
      await Promise.all(processes.map(linesOf))
    }),
  'two-databases: keeps two databases apart, even if the name of one begins with that of the other':
    async (harness) => {
      const databaseBeside = memberOf(harness, 'databaseBeside')
      const url = await harness.emptyDatabase()
      const urlBeside = await databaseBeside(url)
      await withPersistence(harness, url, async (one) => {
        await withPersistence(harness, urlBeside, async (other) => {
          for (const opened of [one, other, one, other]) await useOnce(opened)
          await expectApart(one, 'one')
          await expectApart(other, 'other')
        })
        await expectWorks(one, 'one is open alone')
      })
      if (harness.openBulkAccess !== undefined) await expectBulkApart(harness, url, urlBeside)
      await withPersistence(harness, urlBeside, async ({ pets }) => {
        const names = new Set((await listAll(pets)).map(({ name }) => name.split(' ')[0]))
        expectEqual(
          names,
          new Set(['Rex', 'other']),
          'the names of the pets in the second database',
        )
      })
    },
  'rejected: leaves nothing behind when opening is rejected, or closing meets an outage':
    withProcesses(async (harness, start) => {
      const url = await harness.emptyDatabase()
      await expectNoLeak(harness, start, url, 'write', TURNS)
      await expectNoLeak(harness, start, url, 'migrate', TURNS, true)
      if (harness.interrupt === undefined) return
      const other = start(url, CALLS_IN_AN_OUTAGE, [bulkNameOf(harness)])
      await other.tell('')
      const { end } = await harness.interrupt(url)
      try {
        await other.tell(undefined)
        const [, left, leftByBulk] = await linesOf(other)
        for (const [what, count] of [
          ['each function', left],
          ['each function of bulk access', leftByBulk],
        ])
          assert.ok(
            Number(count) < CALL_TURNS / 2,
            `${CALL_TURNS} calls of ${what} during an outage must leave nothing behind, ` +
              `but left ${count} resources open`,
          )
      } finally {
        await end()
      }
    }),
  'many: leaves nothing behind when it is opened and closed many times': withProcesses(
    async (harness, start) => {
      await expectNoLeak(harness, start, await harness.emptyDatabase(), 'migrate', TURNS)
    },
  ),
  'calls: leaves nothing behind when every function is called many times, or rejects many times':
    async (harness) => {
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      await withPersistence(harness, url, (opened) =>
        expectNothingLeft(async (turn) => {
          const label = `turn ${turn}`
          await prepareCalls(opened, label)
          for (const { run } of everyCall(opened, label)) await run()
          return rejectedCalls(opened, label)
        }),
      )
      if (harness.openBulkAccess === undefined) return
      await withBulkAccess(harness, url, async (bulk) => {
        const firstId = (await bulk.lastPetId()) + 100n
        await expectNothingLeft(async (turn) => {
          const id = firstId + BigInt(turn) * 100n
          for (const { run } of everyBulkCall(bulk, id)) await run()
          return rejectedBulkCalls(bulk, id)
        })
      })
    },
})

const TURNS = 10
/** What two processes do wrong in the same millisecond happens in some rounds only. */
const OPENING_ROUNDS = 20
const OPENING_MS = 6_000

/** The name of the export, or an empty text. */
function bulkNameOf({ openBulkAccess, bulkExportName }: PersistenceHarness): string {
  return openBulkAccess === undefined ? '' : (bulkExportName ?? 'openBulkAccess')
}

async function expectNoLeak(
  harness: PersistenceHarness,
  start: StartProcess,
  url: string,
  mode: string,
  turns: number,
  isOpen = false,
): Promise<void> {
  const values = [mode, String(turns), String(isOpen), bulkNameOf(harness)]
  const [count] = await linesOf(start(url, LEAKS, values))
  const left = Number(count)
  assert.ok(
    // Node itself opens a few.
    left < turns / 2,
    `${turns} openings in the mode ${mode} must leave nothing behind, ` +
      `but left ${left} resources open`,
  )
}

/** Opens each database of which it is told, at the same millisecond as others, and adds a pet. */
const OPENS = `
  const { createInterface } = await import('node:readline')
  for await (const line of createInterface({ input: process.stdin })) {
    if (line !== '') {
      const { url, atMs } = JSON.parse(line)
      // Without a timer, which may fire a millisecond later.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, atMs - Date.now() - 1)
      while (Date.now() < atMs);
      const opened = await open({ url, mode: 'migrate' })
      await opened.pets.add({ name: values[0], categoryId: 1n })
      await opened.close()
    }
    print('done')
  }`

/** Opens and closes many times, and prints how many more descriptors there are afterwards. */
const LEAKS = `
  ${COUNTING}
  const [mode, turns, isOpen, bulkExportName] = values
  const openBulk = (await import(module))[bulkExportName]
  const turn = async () => {
    const opened = await open({ url, mode }).catch(() => undefined)
    // What is used may be opened only now.
    await opened?.pets.list({ limit: 1 })
    await opened?.close()
    const bulk = await openBulk?.({ url, mode }).catch(() => undefined)
    await bulk?.countPets()
    await bulk?.close()
  }
  const first = isOpen === 'true' ? await open({ url, mode: 'migrate' }) : undefined
  for (let done = 0; done < 3; done += 1) await turn()
  const before = count()
  for (let done = 0; done < Number(turns); done += 1) await turn()
  // What is closed may go a moment later.
  for (let waits = 0; waits < 50 && count() > before; waits += 1)
    await new Promise((resolve) => setTimeout(resolve, 20))
  print(count() - before)
  await first?.close()`
