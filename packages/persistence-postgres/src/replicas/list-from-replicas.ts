import { type PetId, type PetRepository, wrapPetRepository } from '@pet-store/domain'

/** What lists need of a replica. */
export interface Replica {
  readonly pets: Pick<PetRepository, 'list'>
  /** Whether it failed and has not been seen to work since. */
  readonly isSuspended: boolean
  /**
   * The replica has every pet up to this id that will ever exist; `undefined` as long as that is
   * not known.
   */
  readonly completeUpTo: PetId | undefined
  /** Leaves it out until it works again. */
  suspend(reason: unknown): void
}

/**
 * A repository whose lists are read from the replicas in turn. Everything else goes to the primary,
 * and so does every page that a replica may not have completely: one that fails, one that is not
 * full, since only the primary knows where a list ends, and one with pets that are newer than
 * `completeUpTo`. No replicas: the repository itself.
 */
export function listFromReplicas(
  primary: PetRepository,
  replicas: readonly Replica[],
): PetRepository {
  if (replicas.length === 0) return primary
  let last = 0

  function nextReplica(): Replica | undefined {
    for (let tried = 0; tried < replicas.length; tried += 1) {
      last = (last + 1) % replicas.length
      if (replicas[last]?.isSuspended === false) return replicas[last]
    }
    return undefined
  }

  return {
    ...wrapPetRepository(primary, (_name, work) => work()),

    async list(query) {
      const replica = nextReplica()
      // Before reading: the replica may be further when the page arrives than it was when it was
      // read.
      const upTo = replica?.completeUpTo
      if (replica === undefined || upTo === undefined) return primary.list(query)
      if (query.after !== undefined && query.after >= upTo) return primary.list(query)
      try {
        const pets = await replica.pets.list(query)
        const end = pets.at(-1)
        if (end !== undefined && pets.length === query.limit && end.id <= upTo) return pets
      } catch (error) {
        replica.suspend(error)
      }
      return primary.list(query)
    },
  }
}
