import { assertShown, casesOf, expectEqual } from '../contract-case.ts'
import { addPets, aNewPet, idsOf, listAll } from '../new-pets.ts'
import { type HarnessCase, withPersistence } from '../persistence-harness.ts'

const GROUP = { group: 'persistence.declared', timeLimitMs: 60_000 }

/** What an adapter declares is so. */
export const declaringCases: readonly HarnessCase[] = casesOf(GROUP, {
  'capabilities: has exactly what it declares: shared limits, bulk access, several openings':
    async (harness) => {
      const { capabilities, openBulkAccess } = harness
      assertShown(capabilities, 'the adapter declares no capabilities')
      const url = await harness.emptyDatabase()
      await withPersistence(harness, url, async (persistence) => {
        const { createRateLimiter } = persistence
        await persistence.check()
        expectEqual(
          createRateLimiter !== undefined,
          capabilities.sharedLimits,
          'whether there are shared limits',
        )
        expectEqual(
          openBulkAccess !== undefined,
          capabilities.bulkAccess,
          'whether there is bulk access',
        )
        const opened = await harness.open({ url, mode: 'migrate' }).catch(() => undefined)
        await opened?.close()
        expectEqual(
          opened !== undefined,
          capabilities.severalProcesses,
          'whether it can be opened twice',
        )
      })
    },
  'replicas: finds and lists every pet although a replica stands still': async (harness) => {
    assertShown(harness.capabilities?.replicas, 'the adapter does not declare replicas')
    assertShown(harness.pausedReplica, 'the harness makes no replica that stands still')
    const url = await harness.emptyDatabase()
    const added = [...(await withPersistence(harness, url, ({ pets }) => addPets(pets, 3)))]
    const replica = await harness.pausedReplica(url)
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
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    } finally {
      await opened.close()
      await replica.end()
    }
  },
})
