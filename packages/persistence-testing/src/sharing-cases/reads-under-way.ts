import type { Persistence } from '@pet-store/persistence'
import { apiKeysOf, withPersistence } from '../adapter/with-persistence.ts'
import { awaitedLater } from '../case/awaited-later.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { wait } from '../case/wait.ts'
import { type HeldReplies, holdReplies } from '../harness/held-replies.ts'
import { openHeld } from '../harness/open-held.ts'
import type { HarnessCase, PersistenceHarness } from '../harness/persistence-harness.ts'
import { assertSeveralProcesses } from '../harness/several-processes.ts'
import { aNewApiKey, withoutHash } from '../test-data/new-api-keys.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { idsOf } from '../test-data/stored-pets.ts'
import { after } from '../test-data/times.ts'

const GROUP = { group: 'persistence.shared', timeLimitMs: 60_000 }

/** How long reads are under way before a change: the first is enough but for a busy machine. */
const ROUNDS_MS = [1, 20, 50, 150]

/** A read that begins after a change shows it, even if the same read is under way. */
export const readsUnderWayCases: readonly HarnessCase[] = casesOf(GROUP, {
  'pets-under-way: shows a pet of another opening while the same reads wait for their replies': (
    harness,
  ) =>
    withTwo(harness, async ({ reading, changing, readBeside }) => {
      const { id } = await changing.pets.add(aNewPet())
      // An adapter that counts by one uses this id.
      const next = id + 1n
      const reads = [
        () => reading.pets.list({ after: id, limit: 1 }).then(idsOf),
        () => reading.pets.find(next).then((pet) => pet?.id),
      ]
      const { changed, read } = await readBeside(reads, () => changing.pets.add(aNewPet()))
      const expected = [[changed.id], changed.id === next ? next : undefined]
      expectEqual(read, expected, 'what is read of a pet that another opening has added')
    }),

  'keys-under-way: shows API keys of another opening while the same reads wait for their replies': (
    harness,
  ) =>
    withTwo(harness, async ({ reading, changing, readBeside, name }) => {
      const keys = apiKeysOf(reading)
      const old = aNewApiKey(`${name} old`)
      const added = aNewApiKey(`${name} added`)
      await apiKeysOf(changing).add(old)
      const reads = [
        () => keys.findByHash(old.sha256),
        () => keys.find(old.id),
        () => keys.findByHash(added.sha256),
        () => keys.find(added.id),
        () => keys.list().then((all) => all.find(({ id }) => id === added.id)),
      ]
      const { read } = await readBeside(reads, async () => {
        await apiKeysOf(changing).add(added)
        await apiKeysOf(changing).revoke(old.id, after(5), 'Ada')
      })
      const revoked = { ...withoutHash(old), revokedAt: after(5), revokedBy: 'Ada' }
      const stored = withoutHash(added)
      const expected = [revoked, revoked, stored, stored, stored]
      expectEqual(read, expected, 'what is read of keys that another opening has changed')
    }),
})

/** Two openings of one database. */
interface Openings {
  readonly reading: Persistence
  readonly changing: Persistence
  /** Of this round. */
  readonly name: string
  /** Makes a change while reads are under way, and has what they read after it. */
  readonly readBeside: <Changed>(
    reads: readonly (() => Promise<unknown>)[],
    change: () => Promise<Changed>,
  ) => Promise<{ readonly changed: Changed; readonly read: readonly unknown[] }>
}

async function withTwo(
  harness: PersistenceHarness,
  work: (openings: Openings) => Promise<void>,
): Promise<void> {
  assertSeveralProcesses(harness)
  const url = await harness.emptyDatabase({ mayHaveSchema: true })
  await withPersistence(harness, url, async (changing) => {
    const held = await holdReplies(url)
    try {
      const pet = await changing.pets.add(aNewPet())
      const throughHeld = held && (await openHeld(harness, held, pet))
      const reading = throughHeld ?? (await harness.open({ url, mode: 'write' }))
      try {
        for (const durationMs of ROUNDS_MS) {
          const readBeside = readBesideOf(held, durationMs)
          await work({ reading, changing, name: `${durationMs}`, readBeside })
        }
      } finally {
        await reading.close()
      }
    } finally {
      await held?.end()
    }
  })
}

function readBesideOf(held: HeldReplies | undefined, durationMs: number): Openings['readBeside'] {
  return async (reads, change) => {
    const readAll = () => awaitedLater(Promise.all(reads.map((read) => read())))
    // Connections that are not open yet would wait for replies too.
    await readAll()
    void held?.hold()
    try {
      const before = readAll()
      await wait(durationMs)
      const changed = await change()
      const read = readAll()
      held?.release()
      await before
      return { changed, read: await read }
    } finally {
      held?.release()
    }
  }
}
