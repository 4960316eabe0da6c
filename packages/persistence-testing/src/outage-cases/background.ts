import { linesOf, withProcesses } from '../adapter/other-process/other-process.ts'
import { aRandomMoment } from '../adapter/outage.ts'
import { casesOf } from '../case/contract-case.ts'
import { wait } from '../case/wait.ts'
import { memberOf } from '../harness/harness-members.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { maxOpenings } from '../harness/several-processes.ts'

const GROUP = { group: 'persistence.unavailable', timeLimitMs: 240_000 }
/** In about half of the rounds nothing goes on in the background just then. */
const ROUNDS = 8
/** Of the last round: longer than most of what an adapter does at intervals. */
const LONG_MS = 2_500
/** How many openings add a pet after each other: an adapter may seldom do what it does then. */
const OPENINGS = 8

/** What an adapter does after a call has resolved. */
export const backgroundCases: readonly HarnessCase[] = casesOf(GROUP, {
  'background: ends no process if the database stops while an adapter works in the background':
    withProcesses(async (harness, start) => {
      const interrupt = memberOf(harness, 'interrupt')
      const openings = maxOpenings(harness, OPENINGS)
      // One for all rounds: it ends in the one in which something fails.
      const other = start('', WRITER, [`${openings}`])
      for (let round = 0; round < ROUNDS; round += 1) {
        const url = await harness.emptyDatabase({ mayHaveSchema: true })
        const isLong = round === ROUNDS - 1
        await other.tell(JSON.stringify({ url, waitMs: isLong ? LONG_MS + 500 : 500 }))
        const { end } = await interrupt(url)
        await (isLong ? wait(LONG_MS) : aRandomMoment(50, 100))
        await end()
      }
      await other.tell(undefined)
      await linesOf(other)
    }),
})

/**
 * Adds pets to each database of which it is told, through one opening after the other, each with an
 * idempotency key that is new, beside one that has expired. Prints a line after the first. Waits
 * until what goes on has ended.
 */
const WRITER = `
  const { createInterface } = await import('node:readline')
  const before = new Date(Date.now() - 72 * 3_600_000)
  const pet = { name: 'Rex', categoryId: 1n }
  const add = ({ pets }, key, at) =>
    pets.addWithKey(pet, { owner: 'shop', key, fingerprint: 'Rex', ...(at && { at }) })
  for await (const line of createInterface({ input: process.stdin })) {
    const { url, waitMs } = JSON.parse(line)
    const opened = [await open({ url, mode: 'migrate' })]
    while (opened.length < Number(values[0])) opened.push(await open({ url, mode: 'write' }))
    try {
      for (let count = 0; count < ${OPENINGS}; count += 1) {
        await add(opened[0], 'old ' + count, before)
        await add(opened[(count + 1) % opened.length], 'new ' + count)
        if (count === 0) print('begun')
      }
    } catch {
      // The database is unavailable.
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    await Promise.allSettled(opened.map((one) => one.close()))
  }`
