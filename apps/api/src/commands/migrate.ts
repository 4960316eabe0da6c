import { readConfig } from '../config.ts'
import { migrateStorage } from '../storage.ts'

/** Brings the database up to date, and says what was done. */
export async function migrate(): Promise<void> {
  const done = await migrateStorage(readConfig().databaseUrl)
  console.log(done.length === 0 ? 'The database is up to date.' : `Done: ${done.join(', ')}`)
}
