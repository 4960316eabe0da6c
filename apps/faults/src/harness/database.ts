import { type FaultyProxy, openFaultyProxy } from '@pet-store/testing'
import { createDatabase, EmbeddedServer, type ServerOptions } from '@pet-store/testing-postgres'
import type {} from '@pet-store/testing-postgres/vitest-global-setup'
import { inject, onTestFinished } from 'vitest'

export const KINDS = ['SQLite', 'PostgreSQL'] as const

/** The URL of an empty database, which is removed after the test. */
export async function emptyDatabase(kind: (typeof KINDS)[number]): Promise<string> {
  // In the folder of the service.
  if (kind === 'SQLite') return 'sqlite:./pets.db'
  const { url, drop } = await createDatabase(inject('postgresUrl'))
  onTestFinished(drop)
  return url
}

/** A proxy before a server, closed after the test. */
export async function openProxy(url: string): Promise<FaultyProxy> {
  const proxy = await openFaultyProxy(url)
  onTestFinished(() => proxy.close())
  return proxy
}

/** A PostgreSQL server of the test's own, which it may stop and damage; removed after the test. */
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
 * These experiments crash processes, not the machine: the operating system still has what was
 * written.
 */
export function postgresFlags(isTls = false): readonly string[] {
  return ['-c', 'fsync=off', ...(isTls ? ['-c', 'ssl=on'] : [])]
}

/** The URL with TLS. The certificate is not verified: nobody is meant to trust this key. */
export function withTls(url: string): string {
  const tls = new URL(url)
  tls.searchParams.set('sslmode', 'no-verify')
  return tls.href
}
