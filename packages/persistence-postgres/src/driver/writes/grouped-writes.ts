import { type PetId, persistenceUnavailable } from '@pet-store/domain'
import {
  type NewPetColumns,
  rejectionFor,
  type WaitingStatement,
} from '@pet-store/persistence-mikro-orm'
import { isRejected, isUsableAfter } from '../../database/failures.ts'

/**
 * Inserts a group of pets with `insert`, which adds them in one statement and returns their ids in
 * order, or rejects and changes nothing. If the server rejects one of the pets, they are inserted
 * one by one, so that only the rejected ones fail. After any other error it is unknown what
 * is stored, so nothing is repeated. Rejects with an error after which the connection may not be
 * used again.
 */
export async function insertGroup(
  insert: (rows: readonly NewPetColumns[]) => Promise<readonly PetId[]>,
  group: readonly WaitingStatement<NewPetColumns, PetId>[],
): Promise<void> {
  if (group.length === 0) return
  try {
    const ids = await insert(group.map(({ work }) => work))
    if (ids.length !== group.length) throw tooFewRows()
    for (const [index, { resolve }] of group.entries()) resolve(ids[index] as PetId)
  } catch (error) {
    if (group.length === 1 || !isRejected(error)) throw error
    await insertOneByOne(insert, group)
  }
}

async function insertOneByOne(
  insert: (rows: readonly NewPetColumns[]) => Promise<readonly PetId[]>,
  group: readonly WaitingStatement<NewPetColumns, PetId>[],
): Promise<void> {
  let lost: Error | undefined
  for (const one of group) {
    const reason = lost === undefined ? rejectionFor(one) : persistenceUnavailable({ cause: lost })
    if (reason !== undefined) {
      one.reject(reason)
      continue
    }
    await insertGroup(insert, [one]).catch((error: unknown) => {
      one.reject(error)
      if (!isUsableAfter(error)) lost = error as Error
    })
  }
  if (lost !== undefined) throw lost
}

function tooFewRows(): Error {
  const cause = new Error('The server returned too few rows.')
  return persistenceUnavailable({ outcome: 'unknown', cause })
}
