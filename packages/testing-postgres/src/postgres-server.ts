import { EmbeddedServer } from './embedded-server.ts'

/** A running PostgreSQL server. */
export interface PostgresServer {
  /** The URL of its maintenance database, for a user who may create other databases. */
  readonly url: string
  /** Which server this is, for people who read the output of a test run. */
  readonly description: string
  /** Stops the server if it was started here. */
  stop(): Promise<void>
}

/**
 * Uses the server that `TEST_DATABASE_URL` names, or else starts one from npm, on a free port and
 * with its data in a temporary folder. Rejects if that fails: tests of PostgreSQL are never
 * skipped.
 */
export async function startPostgresServer(flags: readonly string[] = []): Promise<PostgresServer> {
  const given = process.env['TEST_DATABASE_URL']
  if (given !== undefined && given !== '') {
    return {
      url: given,
      description: `the server of TEST_DATABASE_URL (${new URL(given).host})`,
      stop: async () => {},
    }
  }
  const server = await EmbeddedServer.create()
  await server.start(flags)
  return {
    url: server.url,
    description: `an embedded server on port ${server.port} (TEST_DATABASE_URL is not set)`,
    async stop() {
      await server.stop()
      await server.remove()
    },
  }
}
