import { PET_REPOSITORY_FUNCTIONS, type PetRepository, wrapPetRepository } from '@pet-store/domain'
import type { Persistence } from '@pet-store/persistence'
import { Gauge, Histogram, type Registry } from 'prom-client'
import { DURATION_BUCKETS } from './duration-buckets.ts'

/** Times the operations of a repository, whether they resolve or reject. */
export function timeOperations(registry: Registry): (pets: PetRepository) => PetRepository {
  const durations = new Histogram({
    name: 'pet_store_persistence_duration_seconds',
    help: 'Duration of persistence operations.',
    labelNames: ['operation'],
    buckets: DURATION_BUCKETS,
    registers: [registry],
  })

  function time<Result>(
    operation: keyof PetRepository,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const start = performance.now()
    const result = work()
    const observe = () => durations.observe({ operation }, (performance.now() - start) / 1000)
    // `finally` or `await` would cost every operation another promise and more microtasks.
    result.then(observe, observe)
    return result
  }
  for (const operation of PET_REPOSITORY_FUNCTIONS) durations.zero({ operation })
  return (pets) => wrapPetRepository(pets, time)
}

/** Shows the connections to the database, as they are when the metrics are read. */
export function addPoolMetrics(
  registry: Registry,
  poolUse: Required<Persistence>['poolUse'],
): void {
  new Gauge({
    name: 'pet_store_pool_connections',
    help: 'Connections to the database by state.',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const { name: pool, busy, idle } of poolUse()) {
        this.set({ pool, state: 'busy' }, busy)
        this.set({ pool, state: 'idle' }, idle)
      }
    },
  })
  new Gauge({
    name: 'pet_store_pool_connections_limit',
    help: 'The maximum number of connections.',
    labelNames: ['pool'],
    registers: [registry],
    collect() {
      for (const { name: pool, limit } of poolUse()) this.set({ pool }, limit)
    },
  })
}
