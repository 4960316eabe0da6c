import type { TestProject } from 'vitest/node'
import { startPostgresServer } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A PostgreSQL server on which tests create databases of their own. */
    postgresUrl: string
  }
}

/** Gives the tests of a project one real server, and says which. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // What these tests prove needs no disk that survives a power cut.
  const server = await startPostgresServer(['-c', 'fsync=off'])
  console.log(`PostgreSQL for ${project.name}: ${server.description}`)
  project.provide('postgresUrl', server.url)
  return () => server.stop()
}
