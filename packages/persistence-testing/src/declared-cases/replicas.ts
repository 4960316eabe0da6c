import assert from 'node:assert/strict'
import { withPersistence } from '../adapter/with-persistence.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { assertTested } from '../case/not-tested.ts'
import { wait } from '../case/wait.ts'
import { memberOf } from '../harness/harness-members.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { addPets, aNewPet } from '../test-data/new-pets.ts'
import { idsOf, listAll } from '../test-data/stored-pets.ts'

const GROUP = { group: 'persistence.declared', timeLimitMs: 60_000 }

/** No replica hides a pet, whatever its state is. */
export const replicaCases: readonly HarnessCase[] = casesOf(GROUP, {
  'replicas: finds and lists every pet although a replica stands still, or ends': async (
    harness,
  ) => {
    assertTested(harness.capabilities?.replicas, 'the adapter does not declare replicas')
    const pausedReplica = memberOf(harness, 'pausedReplica')
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    const added = [...(await withPersistence(harness, url, ({ pets }) => addPets(pets, 3)))]
    const replica = await pausedReplica(url)
    let hasEnded = false
    let ending: Promise<void> | undefined
    const end = () => {
      ending ??= replica.end()
      return ending
    }
    const opened = await harness.open({ url, mode: 'migrate', replicaUrls: [replica.url] })
    try {
      for (let round = 0; round < 10; round += 1) {
        const pet = await opened.pets.add(aNewPet({ status: 'sold' }))
        added.push(pet)
        expectEqual(
          await opened.pets.find(pet.id),
          pet,
          'find must return a pet that the replica lacks',
        )
        expectEqual(
          idsOf(await listAll(opened.pets)),
          idsOf(added),
          'the list must contain pets that the replica lacks',
        )
        const sold = await opened.pets.list({ status: 'sold', limit: 100 })
        expectEqual(
          sold,
          added.slice(3),
          'the list by status must contain pets that the replica lacks',
        )
        // In this time an adapter may find out how far the replica is.
        await wait(100)
      }
      const problems = await opened.replicaProblems?.()
      for (const problem of problems ?? [])
        expectEqual(typeof problem, 'string', 'the type of a problem of a replica')
      const noteEnd = () => {
        hasEnded = true
      }
      // If it rejects, it does so again below.
      end().then(noteEnd, noteEnd)
      for (let isLast = false; !isLast; ) {
        isLast = hasEnded
        const page = await opened.pets.list({ limit: 2 })
        expectEqual(
          page,
          added.slice(0, 2),
          'a page that is read while the replica ends must be complete',
        )
      }
    } finally {
      await opened.close()
      await end()
    }
    // Another database is no copy.
    const beside = await harness.databaseBeside?.(url)
    const replicaUrls = [replica.url, ...(beside === undefined ? [] : [beside])]
    const without = await harness.open({ url, mode: 'write', replicaUrls })
    try {
      expectEqual(
        await listAll(without.pets),
        added,
        'list must return all pets when the replica is no longer there',
      )
      if (without.replicaProblems !== undefined)
        expectProblems(await without.replicaProblems(), replicaUrls)
    } finally {
      await without.close()
    }
  },
})

/** Each node that serves no reads must be named: by its host, or by its path if it has none. */
export function expectProblems(problems: readonly string[], urls: readonly string[]): void {
  expectEqual(problems.length, urls.length, 'the number of problems of nodes that serve no reads')
  for (const url of urls) {
    const { host, pathname } = URL.parse(url) ?? { host: url, pathname: url }
    const isNamed = problems.some((problem) => problem.includes(host || pathname))
    assert.ok(isNamed, `a problem must name the replica ${url}: ${problems.join(' ')}`)
  }
}
