import { type FaultyProxy, openFaultyProxy } from '@pet-store/testing'
import { createDatabase, EmbeddedServer, type ServerOptions } from '@pet-store/testing-postgres'
import type {} from '@pet-store/testing-postgres/vitest-global-setup'
import { inject, onTestFinished } from 'vitest'

export const KINDS = ['SQLite', 'PostgreSQL'] as const

/** The URL of an empty database, which is removed after the test. */
export async function emptyDatabase(kind: (typeof KINDS)[number]): Promise<string> {
  // Relative to the working directory of the service, which is a temporary folder.
  if (kind === 'SQLite') return 'sqlite:./pets.db'
  const { url, drop } = await createDatabase(inject('postgresUrl'))
  onTestFinished(drop)
  return url
}

/** Opens a proxy to a server, which is closed after the test. */
export async function openProxy(url: string): Promise<FaultyProxy> {
  const proxy = await openFaultyProxy(url)
  onTestFinished(() => proxy.close())
  return proxy
}

/** Starts a PostgreSQL server that the test may stop and damage. It is removed after the test. */
export async function startOwnPostgres({
  isTls = false,
  flags = [],
  server: options,
}: {
  isTls?: boolean
  flags?: readonly string[]
  server?: ServerOptions
} = {}): Promise<EmbeddedServer> {
  const server = await EmbeddedServer.create(options)
  onTestFinished(async () => {
    await server.stop('immediate')
    await server.remove()
  })
  if (isTls) await server.writeCertificate()
  await server.start([...postgresFlags(isTls), ...flags])
  return server
}

/**
 * The flags of a server for experiments. It needs no `fsync`, because they crash processes and not
 * the machine: what was written stays in the operating system.
 */
export function postgresFlags(isTls = false): readonly string[] {
  return ['-c', 'fsync=off', ...(isTls ? ['-c', 'ssl=on'] : [])]
}

/** Returns the URL with TLS. The certificate is not verified, because its key is public. */
export function withTls(url: string): string {
  const tls = new URL(url)
  tls.searchParams.set('sslmode', 'no-verify')
  return tls.href
}
