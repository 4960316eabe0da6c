// A server
export { startPostgresServer } from './postgres-server.ts'
export type { PostgresServer } from './postgres-server.ts'

// A database on it for each test file
export { createDatabase } from './database.ts'
export type { Database } from './database.ts'

// A port for what else a test starts
export { freePort } from './free-port.ts'
