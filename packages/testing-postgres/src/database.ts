import { randomBytes } from 'node:crypto'
import { runSql } from './run-sql.ts'

/** A database of its own on a server. */
export interface Database {
  readonly url: string
  /** Ends whoever is connected, and removes it. */
  drop(): Promise<void>
}

/** Creates an empty database, so that test files that run at once do not meet. */
export async function createDatabase(serverUrl: string): Promise<Database> {
  const name = `pet_store_${randomBytes(6).toString('hex')}`
  await runSql(serverUrl, `create database ${name} template template0`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return {
    url: url.href,
    async drop() {
      await runSql(serverUrl, `drop database if exists ${name} with (force)`)
    },
  }
}
