import type Database from 'better-sqlite3'

/** Runs work on a connection and returns its result. Closes the connection only if that fails. */
export async function closedOnFailure<Result>(
  connection: Database.Database,
  work: (connection: Database.Database) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(connection)
  } catch (error) {
    connection.close()
    throw error
  }
}
