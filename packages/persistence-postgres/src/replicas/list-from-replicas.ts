import { type PetId, type PetRepository, wrapPetRepository } from '@pet-store/domain'

/** A replica, as far as lists need it. */
export interface Replica {
  readonly pets: Pick<PetRepository, 'list'>
  /** Whether it failed and was not found to work since. */
  readonly isSuspended: boolean
  /**
   * An id up to which the replica has every pet that will ever exist; `undefined` while no such id
   * is known.
   */
  readonly completeUpTo: PetId | undefined
  /** Leaves the replica out until it works again. */
  suspend(reason: unknown): void
}

/**
 * Makes a repository that reads lists from the replicas in turn, and everything else from the
 * primary. The primary also serves a page if reading it from a replica fails, or if it has pets
 * that are newer than `completeUpTo`. It serves a page that is not full, because only the primary
 * knows where a list ends. Returns `primary` itself if there are no replicas.
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
      // Must be taken before the page is read: when the page arrives, `completeUpTo` may have
      // advanced beyond what the replica had then.
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
