// A server
export { startPostgresServer } from './postgres-server.ts'
export type { PostgresServer } from './postgres-server.ts'

// A server and one that follows it
export { startReplicatedServer } from './replicated-server.ts'
export type { ReplicatedServer } from './replicated-server.ts'

// A server of one's own, for tests that start it with settings, or stop it
export { EmbeddedServer, type ServerOptions } from './embedded-server.ts'
export { findTranslatedPrograms } from './translated-programs.ts'
export { CA, ELSEWHERE } from './tls-certificates.ts'

// A database on it for each test file, and one statement from outside
export { createDatabase, runSql } from './database.ts'
export type { Database } from './database.ts'

// A port for what else a test starts
export { freePort } from './free-port.ts'

// A server that does what a script says, for tests of what goes wrong
export { ScriptedSession } from './scripted/session.ts'
export { StatementFailure } from './scripted/script.ts'
export type {
  Boundary,
  Disruption,
  Script,
  ScriptedDatabase,
  ScriptedResult,
  ScriptedStatement,
  ScriptedTransaction,
  SessionOptions,
} from './scripted/script.ts'
export type { ErrorFields, ResultColumn } from './scripted/server-messages.ts'
