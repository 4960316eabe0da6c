import { existsSync } from 'node:fs'
import type { Pet, PetQuery } from '@pet-store/domain'
import { transaction } from './state.test-support.ts'

/** What the file adapter does with replicas, which are copies of its file. */
export interface FileReplicas {
  replicaProblems(): Promise<readonly string[]>
  /** What a replica lists, with the fault that one is asked instead of the file. */
  list(query: PetQuery): Promise<readonly Pet[]> | undefined
}

export function replicasOf(
  path: string,
  replicaUrls: readonly string[],
  has: (fault: string) => boolean,
): FileReplicas {
  const paths = replicaUrls.map((url) => new URL(url).pathname)
  if (has('keeps-a-timer-with-a-replica') && paths.length > 0) setInterval(() => {}, 1_000)
  const missing = () => paths.filter((path) => !existsSync(path))
  if (has('needs-every-replica') && missing().length > 0) throw new Error('A replica is not there.')
  // Of the other one: a copy of the database has its id.
  const isOther = has('reads-another-database') && paths.some((one) => idOf(one) !== idOf(path))
  const [replica] = has('reads-any-replica') || isOther ? paths : []
  return {
    async replicaProblems() {
      if (has('hides-replica-problems')) return []
      const problems = missing().map(
        (one) => `${has('names-no-replica') ? 'One' : one} is missing.`,
      )
      if (has('accepts-any-replica')) return problems
      const others = paths.filter((one) => existsSync(one) && idOf(one) !== idOf(path))
      problems.push(...others.map((one) => `${one} is no copy.`))
      return has('names-one-replica') ? problems.slice(0, 1) : problems
    },
    list(query) {
      if (has('fails-without-a-replica') && missing().length > 0)
        return Promise.reject(new Error('ECONNREFUSED'))
      return replica === undefined
        ? undefined
        : transaction(replica, ({ pets }) => pets.list(query))
    },
  }
}

function idOf(path: string): string {
  return transaction(path, ({ databaseId }) => databaseId)
}
