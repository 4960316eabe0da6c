import assert from 'node:assert/strict'
import type { Pet } from '@pet-store/domain'
import type { OnStatement, Persistence } from '@pet-store/persistence'
import { linesOf, withProcesses } from '../adapter/other-process/other-process.ts'
import { withPersistence } from '../adapter/with-persistence.ts'
import { awaitedLater } from '../case/awaited-later.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { assertTested } from '../case/not-tested.ts'
import { wait } from '../case/wait.ts'
import { memberOf } from '../harness/harness-members.ts'
import type {
  HarnessCase,
  PausedReplica,
  PersistenceHarness,
} from '../harness/persistence-harness.ts'
import { addPets, aNewPet } from '../test-data/new-pets.ts'
import { listAll } from '../test-data/stored-pets.ts'
import { expectProblems } from './replicas.ts'

const GROUP = { group: 'persistence.declared', timeLimitMs: 60_000 }
const POLL_MS = 50
/** In this time an adapter finds out how far a replica is. */
const KNOWN_WITHIN_MS = 3_000
const SERVES_WITHIN_MS = 20_000
/** In this time an adapter asks more than once how far a replica is. */
const BEHIND_MS = 1_500
/** More than there are pets. */
const MANY = 100

/** Replicas that follow the database serve reads, and no read fails when they end. */
export const followingReplicaCases: readonly HarnessCase[] = casesOf(GROUP, {
  'replica-ends: reads from a replica that follows the database, and fails no read when it ends':
    async (harness, scale) => {
      const { url, replica, added } = await replicatedDatabase(harness)
      let ending: Promise<void> | undefined
      const end = () => {
        ending ??= replica.end()
        return ending
      }
      try {
        const opened = await openServed(harness, url, replica, scale)
        try {
          let hasEnded = false
          const ended = awaitedLater(
            end().finally(() => {
              hasEnded = true
            }),
          )
          for (let isLast = false; !isLast; ) {
            isLast = hasEnded
            const reads = [
              opened.pets.list({ limit: 2 }),
              opened.pets.list({ status: 'sold', limit: 1 }),
            ]
            const expected = [added.slice(0, 2), added.slice(0, 1)]
            expectEqual(await Promise.all(reads), expected, 'the pages that are read while it ends')
          }
          await ended
        } finally {
          await opened.close()
        }
      } finally {
        await end()
      }
    },
  'replica-behind: lists what was added since a replica that has served reads has fallen behind':
    async (harness, scale) => {
      const { url, replica, added } = await replicatedDatabase(harness)
      try {
        assertTested(replica.pause, 'the replicas of the harness cannot pause: they have no pause')
        const opened = await openServed(harness, url, replica, scale)
        try {
          const known = await listAll(opened.pets)
          await replica.pause?.()
          const newer = [await opened.pets.add(aNewPet({ status: 'sold' }))]
          for (let waitedMs = 0; waitedMs < BEHIND_MS; waitedMs += POLL_MS) {
            await expectAllListed(opened, known, [...added, ...newer], newer)
            newer.push(await opened.pets.add(aNewPet({ status: 'sold' })))
            await wait(POLL_MS)
          }
        } finally {
          await opened.close()
        }
      } finally {
        await replica.end()
      }
    },
  'replica-closed: finishes reads of a replica, and leaves nothing that keeps the process running':
    withProcesses(async (harness, start) => {
      const { url, replica } = await replicatedDatabase(harness)
      try {
        await linesOf(start(url, READS_AND_CLOSES, [replica.url]))
      } finally {
        await replica.end()
      }
      // Nor of one that is no longer there.
      await linesOf(start(url, READS_AND_CLOSES, [replica.url]))
    }),
  'other-replica: reads nothing from a node that is no copy of the database, and names it': async (
    harness,
  ) => {
    assertReplicas(harness)
    const databaseBeside = memberOf(harness, 'databaseBeside')
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    const urlBeside = await databaseBeside(url)
    await withPersistence(harness, urlBeside, ({ pets }) => addPets(pets, 5))
    const added = await withPersistence(harness, url, ({ pets }) => addPets(pets, 3))
    const opened = await harness.open({ url, mode: 'write', replicaUrls: [urlBeside] })
    try {
      for (let waitedMs = 0; waitedMs < KNOWN_WITHIN_MS; waitedMs += 10 * POLL_MS) {
        expectEqual(await listAll(opened.pets), added, 'the pets beside a node with others')
        const page = await opened.pets.list({ limit: 2 })
        expectEqual(page, added.slice(0, 2), 'a page beside a node with other pets')
        await wait(10 * POLL_MS)
      }
      if (opened.replicaProblems !== undefined)
        expectProblems(await opened.replicaProblems(), [urlBeside])
    } finally {
      await opened.close()
    }
  },
  'replica-of-other: reads nothing from a replica of another database of the server': async (
    harness,
  ) => {
    assertReplicas(harness)
    const databaseBeside = memberOf(harness, 'databaseBeside')
    const pausedReplica = memberOf(harness, 'pausedReplica')
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    const urlBeside = await databaseBeside(url)
    const names = ['a', 'b', 'c', 'd', 'e']
    const addNamed = ({ pets }: Persistence) =>
      Promise.all(names.map(async (name) => pets.add(aNewPet({ name, status: 'sold' }))))
    await withPersistence(harness, url, async ({ pets }) => {
      // The other database has other names under the same ids.
      for (const name of names.toReversed()) await pets.add(aNewPet({ name, status: 'sold' }))
    })
    const replica = await pausedReplica(url)
    try {
      await resume(replica)
      const added = await withPersistence(harness, urlBeside, addNamed)
      const first = added.toSorted((one, other) => (one.id < other.id ? -1 : 1)).slice(0, 2)
      const options = { url: urlBeside, mode: 'write', replicaUrls: [replica.url] } as const
      const opened = await harness.open(options)
      try {
        for (let waitedMs = 0; waitedMs < KNOWN_WITHIN_MS; waitedMs += POLL_MS) {
          for (const query of [{}, { status: 'sold' }] as const) {
            const page = await opened.pets.list({ ...query, limit: 2 })
            expectEqual(page, first, 'a page beside a replica of another database')
          }
          await wait(POLL_MS)
        }
        if (opened.replicaProblems !== undefined)
          expectProblems(await opened.replicaProblems(), [replica.url])
      } finally {
        await opened.close()
      }
    } finally {
      await replica.end()
    }
  },
})

/** Pages that end at the last pet that a replica may know, right behind it, and far behind it. */
async function expectAllListed(
  { pets }: Persistence,
  known: readonly Pet[],
  sold: readonly Pet[],
  newer: readonly Pet[],
): Promise<void> {
  const all = [...known, ...newer]
  const after = known.at(-1)?.id
  for (const [query, expected] of [
    [{ limit: known.length }, known],
    [{ limit: known.length + 1 }, all.slice(0, known.length + 1)],
    [{ limit: MANY }, all],
    [{ after, limit: MANY }, newer],
    [{ status: 'sold', limit: MANY }, sold],
  ] as const)
    expectEqual(await pets.list(query), expected, 'a page beside a replica that is behind')
}

function assertReplicas({ capabilities }: PersistenceHarness): void {
  assertTested(capabilities?.replicas, 'the adapter does not declare replicas')
}

/** A database with pets that are sold, and a replica that follows it. */
async function replicatedDatabase(harness: PersistenceHarness) {
  assertReplicas(harness)
  const pausedReplica = memberOf(harness, 'pausedReplica')
  const url = await harness.emptyDatabase({ mayHaveSchema: true })
  const added = await withPersistence(harness, url, ({ pets }) =>
    Promise.all([1, 2, 3].map(async () => pets.add(aNewPet({ status: 'sold' })))),
  )
  const replica = await pausedReplica(url)
  try {
    await resume(replica)
  } catch (error) {
    await replica.end()
    throw error
  }
  return { url, replica, added: added.toSorted((one, other) => (one.id < other.id ? -1 : 1)) }
}

async function resume(replica: PausedReplica): Promise<void> {
  const hasResume = replica.resume !== undefined
  assertTested(hasResume, 'the replicas of the harness cannot resume: they have no resume')
  await replica.resume?.()
}

/** Opens a database whose replica serves reads by then. */
async function openServed(
  harness: PersistenceHarness,
  url: string,
  replica: PausedReplica,
  scale: number,
): Promise<Persistence> {
  const servers = new Set<string>()
  const onStatement: OnStatement = (_, server) => {
    servers.add(JSON.stringify(server))
    return undefined
  }
  const options = { url, mode: 'write', replicaUrls: [replica.url], onStatement } as const
  const opened = await harness.open(options)
  try {
    await untilReplicaServes(opened, servers, scale)
    return opened
  } catch (error) {
    await opened.close()
    throw error
  }
}

/**
 * Reads until a statement runs on another server than those of an add. Where servers have no
 * address, it cannot be seen: then for the time in which an adapter finds out.
 */
async function untilReplicaServes(
  opened: Persistence,
  servers: ReadonlySet<string>,
  scale: number,
): Promise<void> {
  const { pets } = opened
  await pets.add(aNewPet())
  const ofAdds = new Set(servers)
  const haveAddresses = [...servers].some((server) => 'host' in JSON.parse(server))
  const limitMs = haveAddresses ? SERVES_WITHIN_MS * scale : KNOWN_WITHIN_MS
  for (let waitedMs = 0; waitedMs < limitMs; waitedMs += POLL_MS) {
    await pets.list({ limit: 1 })
    await pets.list({ status: 'sold', limit: 1 })
    if ([...servers].some((server) => !ofAdds.has(server))) return
    await wait(POLL_MS)
  }
  const problems = (await opened.replicaProblems?.()) ?? []
  const reason = problems.length > 0 ? `; its problems: ${problems.join(' ')}` : ''
  assert.ok(!haveAddresses, `a replica that follows the database must serve reads${reason}`)
}

/** Reads until the replica may serve, closes, and ends with an error if something still runs. */
const READS_AND_CLOSES = `
  let servers = new Set()
  const onStatement = (_, server) => void servers.add(JSON.stringify(server))
  const opened = await open({ url, mode: 'write', replicaUrls: values, onStatement })
  await opened.pets.add({ name: 'Rex', categoryId: 1n })
  const ofAdds = servers
  servers = new Set()
  for (let reads = 0; reads < ${KNOWN_WITHIN_MS / POLL_MS}; reads += 1) {
    await opened.pets.list({ limit: 1 })
    if ([...servers].some((server) => !ofAdds.has(server))) break
    await new Promise((resolve) => setTimeout(resolve, ${POLL_MS}))
  }
  // What was begun before close is finished, reads too, also one that goes on elsewhere because the
  // replica may lack newer pets.
  const reads = Array.from({ length: 20 }, (_, index) =>
    opened.pets.list({ limit: index % 2 === 0 ? 1 : 50 }))
  await Promise.all([...reads, opened.close()])
  setTimeout(() => {
    console.error('It still runs after close, with', process.getActiveResourcesInfo())
    process.exit(9)
  }, 10_000).unref()`
