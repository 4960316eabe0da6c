import { hash } from 'node:crypto'

/** What every server of the benchmark is started with. */
export const port = Number(process.env['PORT'])
export const databaseUrl = process.env['DATABASE_URL'] ?? ''
const keySha256 = process.env['API_KEYS_SHA256']

/** The path of an SQLite file, or nothing where the database is another. */
export const sqliteFile = databaseUrl.startsWith('sqlite:') ? databaseUrl.slice('sqlite:'.length) : undefined

/** A write that was responded to survives a power cut, in every contestant; the driver's default guarantees less. */
export const DURABLE = 'synchronous = full'

/** The key check that all contestants share: a hash, and a look-up of it. */
export function isGoodKey(key: string): boolean {
  return hash('sha256', key) === keySha256
}
