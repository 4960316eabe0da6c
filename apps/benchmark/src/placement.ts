import type { Pinning } from './pinning.ts'

/** Which cores several processes of the service share, and which are left to the client and the database. */
export interface Placement {
  readonly title: string
  readonly serviceCores: readonly number[]
  /** None where nothing is kept apart. */
  readonly otherCores: readonly number[]
}

/**
 * Half of the cores for the services, the rest for client and database; and once everybody everywhere. Only the latter
 * where there is one core.
 */
export function placements(cores: readonly number[]): Placement[] {
  const half = Math.floor(cores.length / 2)
  const [others, services] = [cores.slice(0, half), cores.slice(half)]
  const pinned = {
    title: `Services on ${named(services)}, client and database on ${named(others)}`,
    serviceCores: services,
    otherCores: others,
  }
  const everywhere = { title: `All of them on ${named(cores)}`, serviceCores: cores, otherCores: [] }
  return half === 0 ? [everywhere] : [pinned, everywhere]
}

/** How the servers of a placement are started. */
export function pinningOf({ title, serviceCores, otherCores }: Placement): Pinning {
  const isPinned = otherCores.length > 0
  return {
    description: title,
    onServerCore: (command) => (isPinned ? ['taskset', '-c', serviceCores.join(','), ...command] : command),
  }
}

function named(cores: readonly number[]): string {
  return `core${cores.length === 1 ? '' : 's'} ${cores.join(', ')}`
}
