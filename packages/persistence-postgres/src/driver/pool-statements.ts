import type { Cancellation, WriteOutcome } from '@pet-store/domain'
import type { PoolUse } from '@pet-store/persistence'
import {
  bytesOf,
  rejectionFor,
  type SqlValue,
  tooManyWait,
  WAITING_LIMITS,
} from '@pet-store/persistence-mikro-orm'
import pg, { type ClientBase, type Pool, type PoolClient } from 'pg'
import { isNew } from '../database/connection-age.ts'
import {
  cannotConnect,
  isUsableAfter,
  mayWorkOnAnother,
  unavailableOr,
} from '../database/failures.ts'

/** A statement for the driver, without its values. */
export interface StatementText {
  readonly text: string
  /** A statement with a name stays prepared on each connection. */
  readonly name?: string
}

/** A row as an array of columns, with 64-bit integers as bigints. */
export type Row = readonly SqlValue[]

/**
 * Runs one statement on any connection and returns its rows. Rejects with `persistence_unavailable`
 * and the outcome of the statement, or with the server's own error, in which case nothing was
 * changed.
 */
export type RunStatement = (
  statement: StatementText,
  values: readonly SqlValue[],
  cancellation?: Cancellation,
) => Promise<readonly Row[]>

/** Rejects if no statement may be sent on a connection. */
export type AssertClient = (client: ClientBase) => Promise<void> | undefined

/**
 * Runs statements on connections of the pool. `outcome` is that of a statement whose result is
 * lost. `assertClient` may reject a connection before a statement is sent on it.
 */
export function runOnPool(
  pool: Pool,
  outcome: WriteOutcome,
  assertClient?: AssertClient,
): RunStatement {
  const { maxStatements, maxBytes } = WAITING_LIMITS
  let waitingBytes = 0
  return async (statement, values, cancellation) => {
    const bytes = bytesOf(values)
    if (pool.waitingCount >= maxStatements || waitingBytes + bytes > maxBytes) throw tooManyWait()
    waitingBytes += bytes
    const connecting = connect(pool).finally(() => {
      waitingBytes -= bytes
    })
    return onConnection(connecting, async (client) => {
      await assertClient?.(client)
      // The pool itself has waited for the connection no longer than `connectionTimeoutMillis`.
      const rejection = rejectionFor({ cancellation, deadline: Number.POSITIVE_INFINITY })
      if (rejection !== undefined) throw rejection
      return runOn(client, statement, values, outcome)
    })
  }
}

/** Waits for a connection of the pool. */
export function connect(pool: Pool): Promise<PoolClient> {
  return pool.connect().catch((error: unknown) => {
    throw pool.ending ? error : cannotConnect(error)
  })
}

/**
 * Runs work on a connection of a pool, and then returns the connection to the pool, or closes it if
 * it is no longer usable. `pool.query` is not used, because its errors do not say whether a
 * statement was never sent or its result was lost.
 */
export async function onConnection<Result>(
  connecting: Promise<PoolClient>,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await connecting
  let failure: unknown
  try {
    return await work(client)
  } catch (error) {
    failure = error
    throw error
  } finally {
    releaseAfter(client, failure)
  }
}

/**
 * Returns a connection to its pool, or closes it if it does not work after an error, or if a new
 * one may lead to another server or begin with other settings.
 */
export function releaseAfter(client: PoolClient, failure: unknown): void {
  const isUsable = failure === undefined || isUsableAfter(failure)
  client.release(!isUsable || (mayWorkOnAnother(failure) && !isNew(client)))
}

/** Runs a statement on a connection. */
export async function runOn(
  client: ClientBase,
  statement: StatementText,
  values: readonly unknown[],
  outcome: WriteOutcome,
): Promise<readonly Row[]> {
  try {
    // The driver only reads the values.
    const query = { ...statement, types, rowMode: 'array', values: values as unknown[] } as const
    return (await client.query<SqlValue[]>(query)).rows
  } catch (error) {
    throw unavailableOr(error, outcome)
  }
}

const INT8 = pg.types.builtins.INT8

/** Reads columns of 64-bit integers as bigints, exactly; by default the driver returns texts. */
const types = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === INT8 ? BigInt : pg.types.getTypeParser(oid, format)) as
    // The declared type has an overload for each format; only the text format is requested.
    typeof pg.types.getTypeParser,
}

/** The use of a pool, as the pool counts it. */
export function poolUse(
  name: string,
  { totalCount, idleCount, waitingCount, options }: Pool,
): PoolUse {
  return {
    name,
    busy: totalCount - idleCount,
    idle: idleCount,
    waiting: waitingCount,
    waitingLimit: WAITING_LIMITS.maxStatements,
    limit: options.max,
  }
}
