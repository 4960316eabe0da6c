import type { Pet, PetRepository } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import { describe, expect, it } from 'vitest'
import { listFromReplicas, type Replica } from './list-from-replicas.ts'

/** A repository with three pets that have its own name. */
function petsNamed(name: string): PetRepository {
  return createMemoryPets([1n, 2n, 3n].map((id) => ({ id, name, categoryId: 1n })))
}

function replicaNamed(name: string, completeUpTo: bigint | undefined = 3n) {
  const replica = { pets: petsNamed(name), completeUpTo, isSuspended: false, suspend: () => {} }
  replica.suspend = () => {
    replica.isSuspended = true
  }
  return replica satisfies Replica
}

const namesOf = (pets: readonly Pet[]) => pets.map(({ name }) => name)
const primary = petsNamed('primary')

// Real replicas are used by open-persistence.read-replicas.contract.test.ts.
describe('listFromReplicas', () => {
  it('listFromReplicas returns the repository of the primary if there is no replica', () => {
    expect(listFromReplicas(primary, [])).toBe(primary)
  })

  it('listFromReplicas uses working replicas in turn, the primary if none works', async () => {
    const replicas = [replicaNamed('a'), replicaNamed('b'), replicaNamed('c')]
    const { list } = listFromReplicas(primary, replicas)
    const served = async (count: number) => {
      const names: string[] = []
      while (names.length < count) names.push(...namesOf(await list({ limit: 1 })))
      return names.join(' ')
    }

    expect(await served(6)).toBe('b c a b c a')
    replicas[1]?.suspend()
    expect(await served(4)).toBe('c a c a')
    for (const replica of replicas) replica.suspend()
    expect(await served(2)).toBe('primary primary')
  })

  it('listFromReplicas reads a page that is not full from the primary', async () => {
    const { list } = listFromReplicas(primary, [replicaNamed('a')])
    expect(namesOf(await list({ limit: 4 }))).toEqual(['primary', 'primary', 'primary'])
    expect(namesOf(await list({ limit: 1, after: 3n }))).toEqual([])
  })

  it('listFromReplicas reads pets that no replica is known to have from the primary', async () => {
    const { list } = listFromReplicas(primary, [replicaNamed('a', 2n)])
    expect(namesOf(await list({ limit: 2 }))).toEqual(['a', 'a'])
    expect(namesOf(await list({ limit: 3 }))).toEqual(['primary', 'primary', 'primary'])
    expect(namesOf(await list({ limit: 1, after: 2n }))).toEqual(['primary'])
  })
})
