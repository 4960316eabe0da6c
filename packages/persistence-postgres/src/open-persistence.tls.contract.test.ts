import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aNewPet } from '@pet-store/persistence-testing'
import { CA, ELSEWHERE, EmbeddedServer, runSql } from '@pet-store/testing-postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { migratePostgres } from './migrations.ts'
import { openPostgresPersistence } from './open-persistence.ts'

let server: EmbeddedServer
let folder: string

beforeAll(async () => {
  server = await EmbeddedServer.create()
  console.log(`TLS: an embedded server on port ${server.port}, even when TEST_DATABASE_URL is set`)
  await server.writeCertificate()
  await server.start(['-c', 'fsync=off', '-c', 'ssl=on'])
  await migratePostgres({ url: server.url })
  folder = await mkdtemp(join(tmpdir(), 'pet-store-tls-'))
  await writeFile(join(folder, 'ca.pem'), CA)
  await writeFile(join(folder, 'elsewhere.pem'), ELSEWHERE)
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await server.stop()
  await server.remove()
})

/**
 * The server's URL under the name of its certificate. `sslrootcert` is the name of a file in the
 * folder.
 */
function urlWith(parameters: Readonly<Record<string, string>>): string {
  const url = new URL(server.url)
  url.hostname = 'localhost'
  for (const [name, value] of Object.entries(parameters)) {
    url.searchParams.set(name, name === 'sslrootcert' ? join(folder, value) : value)
  }
  return url.href
}

/** Opens a database, adds a pet, and returns whether the connection used TLS. */
async function opensWithTls(url: string): Promise<boolean> {
  const persistence = await openPostgresPersistence({ url })
  await persistence.pets.add(aNewPet())
  const rows = await runSql<{ ssl: boolean }>(
    server.url,
    `select ssl from pg_stat_ssl join pg_stat_activity using (pid)
     where application_name = 'pet-store'`,
  )
  await persistence.close()
  const [ssl, ...others] = new Set(rows.map((row) => row.ssl))
  expect(others).toEqual([])
  return ssl === true
}

const rejection = (reason: string) =>
  new RegExp(`^Cannot open the PostgreSQL database "[\\w.]+:\\d+/postgres": ${reason}\\.$`)

describe('TLS by parameters of the URL', () => {
  it('TLS is off by default', async () => {
    expect(await opensWithTls(urlWith({}))).toBe(false)
  })

  it('TLS connects when the given authority has signed the certificate', async () => {
    expect(await opensWithTls(urlWith({ sslmode: 'verify-full', sslrootcert: 'ca.pem' }))).toBe(
      true,
    )
  })

  it.each(['verify-full', 'verify-ca', 'require', 'prefer'])(
    'TLS with %s rejects a certificate of an unknown authority',
    async (sslmode) => {
      await expect(openPostgresPersistence({ url: urlWith({ sslmode }) })).rejects.toThrow(
        rejection('unable to verify the first certificate.*'),
      )
    },
  )

  it.each([{ sslmode: 'no-verify' }, { sslmode: 'require', uselibpqcompat: 'true' }])(
    'TLS with %o encrypts without checking the certificate',
    async (parameters) => {
      expect(await opensWithTls(urlWith(parameters))).toBe(true)
    },
  )

  it('opening says that the file of the authority is missing', async () => {
    const url = urlWith({ sslmode: 'verify-full', sslrootcert: 'nowhere.pem' })
    await expect(openPostgresPersistence({ url })).rejects.toThrow(
      rejection('ENOENT: no such file or directory, .*'),
    )
  })

  it('connections are opened while a certificate that the URL names cannot be read', async () => {
    const url = urlWith({ sslmode: 'verify-full', sslrootcert: 'renewed.pem' })
    await writeFile(join(folder, 'renewed.pem'), CA)
    // With one connection, the pool opens the next one for a call that waits for it.
    for (const poolSize of [1, 4]) {
      const persistence = await openPostgresPersistence({ url, poolSize })
      onTestFinished(() => persistence.close())
      await persistence.pets.add(aNewPet())
      await rename(join(folder, 'renewed.pem'), join(folder, 'old.pem'))
      await runSql(
        server.url,
        `select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'pet-store'`,
      )
      const add = () => persistence.pets.add(aNewPet()).catch(String)
      await Promise.all(Array.from({ length: 5 }, add))
      await persistence.pets.add(aNewPet())
      await persistence.pets.list({ limit: 1 })
      await persistence.check()
      // Renewed by an authority that did not sign the certificate of the server.
      await writeFile(join(folder, 'renewed.pem'), ELSEWHERE)
      await runSql(
        server.url,
        `select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'pet-store'`,
      )
      const state = () =>
        persistence.check().then(
          () => 'ready',
          () => 'not ready',
        )
      await expect.poll(state).toBe('not ready')
      await rename(join(folder, 'old.pem'), join(folder, 'renewed.pem'))
      await persistence.check()
    }
  })

  it('TLS with verify-full rejects a certificate for another host name', async () => {
    await server.stop()
    await server.writeCertificate(ELSEWHERE)
    await server.start(['-c', 'fsync=off', '-c', 'ssl=on'])
    const url = urlWith({ sslmode: 'verify-full', sslrootcert: 'elsewhere.pem' })
    await expect(openPostgresPersistence({ url })).rejects.toThrow(
      rejection("Hostname/IP does not match certificate's altnames: .*"),
    )
  })

  it('opening with TLS rejects a server without it', async () => {
    await server.stop()
    await server.start()
    await expect(
      openPostgresPersistence({ url: urlWith({ sslmode: 'no-verify' }) }),
    ).rejects.toThrow(rejection('The server does not support SSL connections'))
  })
})
