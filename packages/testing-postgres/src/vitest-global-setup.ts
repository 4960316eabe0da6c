import { cp, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { EmbeddedServer } from './embedded-server.ts'
import { startPostgresServer } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A PostgreSQL server on which tests create databases of their own. */
    postgresUrl: string
  }
}

/** Provides the tests of a project with one real server, and prints which. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Removed with the other temporary files of the run.
  process.env['INITIALIZED_POSTGRES'] ??= await initializedFiles()
  // No test of this server simulates a power failure, or needs one of its databases for long.
  const server = await startPostgresServer(['-c', 'fsync=off', '-c', 'autovacuum=off'])
  console.log(`PostgreSQL for ${project.name}: ${server.description}`)
  project.provide('postgresUrl', server.url)
  return () => server.stop()
}

/** The files of a server that never ran, to be copied for each server of this run. */
async function initializedFiles(): Promise<string> {
  const server = await EmbeddedServer.create()
  const folder = join(await mkdtemp(join(tmpdir(), 'pet-store-postgres-')), 'data')
  await cp(server.dataFolder, folder, { recursive: true })
  await server.remove()
  return folder
}
