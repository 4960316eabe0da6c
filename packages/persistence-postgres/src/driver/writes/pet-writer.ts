import { type Cancellation, type PetId, persistenceUnavailable } from '@pet-store/domain'
import {
  GroupedStatements,
  type NewPetColumns,
  type PetWriter,
} from '@pet-store/persistence-mikro-orm'
import type { ClientBase } from 'pg'
import { isRejected, unknownIfTimedOut } from '../../database/failures.ts'
import type { ConnectedDatabase } from '../connections.ts'
import { connect, onConnection, runOn } from '../pool-statements.ts'
import { RepeatableStatement, reported } from '../repeatable-statement.ts'
import { inWriteTransaction } from '../transaction.ts'
import { createClaimTogether } from './claim-together.ts'
import { insertGroup } from './grouped-writes.ts'
import { type ClaimedId, claimGroup, type KeyedPet } from './keyed-writes.ts'
import {
  ADD,
  ADD_MANY,
  ADD_WITH_KEY,
  FREE_ID,
  IS_VISIBLE,
  USE_ID,
} from './pet-insert-statements.ts'
import { columnsOf, idsInOrder } from './row-lists.ts'
import type { WriteCapacity } from './write-capacity.ts'

/** The maximum number of rows of a group. */
const MAX_ROWS = 500

type Id = readonly [id: bigint]

/**
 * Adds pets on connections of a pool. All pets of one turn of the event loop are added in one
 * statement, and one such group runs at a time. Several groups would be smaller, and cost both this
 * process and the server more. Inserts into a table that is distributed over several servers are
 * not grouped.
 */
export function createPostgresPetWriter(
  connections: ConnectedDatabase,
  isDistributed: boolean,
  writeCapacity: WriteCapacity,
): PetWriter {
  const { pool, write, onStatement, server } = connections
  // `onStatement` is called for each insert instead, not for the statement of a group.
  const unreported = { ...connections, onStatement: undefined }
  const addOne = new RepeatableStatement(ADD, connections)
  const addMany = new RepeatableStatement(ADD_MANY, unreported)
  const addWithKey = new RepeatableStatement(ADD_WITH_KEY, unreported)
  const claimTogether = createClaimTogether(unreported)

  async function insertOn(
    client: ClientBase,
    rows: readonly NewPetColumns[],
  ): Promise<readonly PetId[]> {
    const columns = columnsOf(rows)
    const ids = await addMany
      .run((statement) => runOn(client, statement, columns, 'unknown'))
      .catch((error: unknown) => {
        throw rows.length === 1 ? notStoredIfRejected(error) : error
      })
    return idsInOrder(ids)
  }
  // The deadline of an insert includes its wait for a connection.
  const grouped = new GroupedStatements<NewPetColumns, PetId>(
    (take) =>
      onConnection(connect(pool), (client) =>
        writeCapacity.note(
          'pets',
          insertGroup((rows) => insertOn(client, rows), take()),
        ),
      ),
    { maxGroupSize: MAX_ROWS },
  )

  async function claimAlone(
    { key, pet }: KeyedPet,
    cancellation?: Cancellation,
  ): Promise<ClaimedId> {
    const [row] = await writeCapacity
      .note(
        'pets',
        addWithKey.run((statement) => write(statement, [...key, ...pet], cancellation)),
      )
      .catch((error: unknown) => {
        throw notStoredIfRejected(error)
      })
    return row?.[0]
  }
  const claims = new GroupedStatements<KeyedPet, ClaimedId>(
    (take) =>
      onConnection(connect(pool), (client) =>
        writeCapacity.note(
          'pets',
          claimGroup(take(), (claimed) => claimTogether(client, claimed), claimAlone),
        ),
      ),
    { maxGroupSize: MAX_ROWS },
  )

  /**
   * Rejects with the outcome `unknown` if an added pet is not visible. The servers of a distributed
   * table commit one after another, and success is reported even if one of them is lost before it
   * has committed. The pet then becomes visible when that server has recovered.
   */
  async function assertVisible(id: ClaimedId): Promise<ClaimedId> {
    if (id === undefined) return undefined
    const found = await write({ text: IS_VISIBLE }, [id]).catch(() => [])
    if (found.length > 0) return id
    const cause = new Error(`The pet ${id} was added but is not visible.`)
    throw persistenceUnavailable({ outcome: 'unknown', cause })
  }

  return {
    get waiting() {
      return grouped.waiting + claims.waiting
    },
    async add(pet, cancellation) {
      // Inserting many rows on several servers would need a two-phase commit over all of them.
      if (!isDistributed) {
        return reported(onStatement?.(ADD_MANY, server), grouped.add(pet, pet, cancellation))
      }
      return writeCapacity
        .note(
          'pets',
          addOne.run((statement) => write(statement, pet, cancellation)),
        )
        .then(idOf, (error: unknown) => {
          throw unknownIfTimedOut(notStoredIfRejected(error))
        })
    },
    addWithKey(key, pet, cancellation) {
      const claim = { key, pet }
      const id = isDistributed
        ? claimAlone(claim, cancellation).then(assertVisible)
        : claims.add(claim, [...key, ...pet], cancellation)
      return reported(onStatement?.(ADD_WITH_KEY, server), id)
    },
    // The servers commit one after another: a key may be visible before its pet.
    ...(isDistributed && {
      isDeleted: (id) => inWriteTransaction(pool, (client) => isUnused(client, id)),
    }),
  }
}

/**
 * A pet is valid before it is inserted. So the server rejects it for a reason that an operator can
 * remove: a constraint, a trigger or a column of theirs, or a sequence that is behind the table.
 */
function notStoredIfRejected(error: unknown): unknown {
  if (!isRejected(error)) return error
  return persistenceUnavailable({ message: 'The database rejects the pet.', cause: error })
}

/** Whether no pet has this id, and no transaction can still commit one. */
async function isUnused(client: ClientBase, id: bigint): Promise<boolean> {
  const { rowCount } = await client.query(USE_ID, [id])
  if (rowCount === 0) return false
  await client.query(FREE_ID, [id])
  return true
}

function idOf([row]: readonly Id[]): bigint {
  if (row === undefined) throw new Error('The insert of a pet returned no id.')
  return row[0]
}
