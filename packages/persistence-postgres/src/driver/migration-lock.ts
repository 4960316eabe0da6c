import type { Pool } from 'pg'

/** Any number that other programs on the same database do not use; these are the bytes of `pets`. */
const LOCK = 0x70657473

/**
 * Does something while no other starter can, in one transaction that is ended as told, or undone on failure.
 *
 * MikroORM's migrator takes no lock of its own: of two programs that start together, one would fail. The lock belongs
 * to the transaction, so it holds behind a pooler in transaction mode too, and nobody can forget it.
 */
export async function whileLocked<Result>(
  connection: Pool,
  end: 'commit' | 'rollback',
  work: () => Promise<Result>,
): Promise<Result> {
  await connection.query('begin')
  try {
    await connection.query(`select pg_advisory_xact_lock(${LOCK})`)
    const result = await work()
    await connection.query(end)
    return result
  } catch (error) {
    // Where the connection itself has broken, the server has undone everything already.
    await connection.query('rollback').catch(() => {})
    throw error
  }
}
