import { hash, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** What every server of the benchmark is started with. */
export const port = Number(process.env['PORT'])
export const databaseUrl = process.env['DATABASE_URL'] ?? ''

/** The path of an SQLite file, or nothing if the database is another one. */
export const sqliteFile = databaseUrl.startsWith('sqlite:')
  ? databaseUrl.slice('sqlite:'.length)
  : undefined

/**
 * An acknowledged write survives a power cut, in every contestant; the driver's default guarantees
 * less.
 */
export const DURABLE = 'synchronous = full'

/** The key check that all contestants share: a hash, and a look-up of it. */
export function isValidKey(key: string): boolean {
  return hash('sha256', key) === process.env['API_KEYS_SHA256']
}

/** Gives a request the id of the client, or a new one; for the log of the peers on Express. */
export function requestId(req: IncomingMessage, res: ServerResponse): string {
  const id = String(req.headers['x-request-id'] ?? randomUUID())
  res.setHeader('X-Request-Id', id)
  return id
}

export const STATUSES = ['available', 'pending', 'sold'] as const
export type Status = (typeof STATUSES)[number]

/** A pet on the wire: a status that nobody gave is left out. */
export function petBody({ id, name, categoryId, status }: PetRow) {
  return status ? { id, name, categoryId, status } : { id, name, categoryId }
}

/** A row as the libraries give it. */
type PetRow = { id: number; name: string; categoryId: number; status?: string | null }
