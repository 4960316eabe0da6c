import { EmbeddedServer } from './embedded-server.ts'

/** A running PostgreSQL server. */
export interface PostgresServer {
  /** Of its maintenance database, with the right to create others. */
  readonly url: string
  /** Which server this is, for people who read the output of a test run. */
  readonly description: string
  /** Ends the server where it was started here; leaves another's alone. */
  stop(): Promise<void>
}

/**
 * The server that `TEST_DATABASE_URL` names, else one of our own from npm, on a free port, with its
 * data in a temporary folder. Rejects when neither works: tests of PostgreSQL are never skipped.
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
