import { temporaryFolder } from '@pet-store/testing'
import { createDatabase } from '@pet-store/testing-postgres'
import type {} from '@pet-store/testing-postgres/vitest-global-setup'
import { expect, inject, it, onTestFinished } from 'vitest'
import { runHere } from '../testing/run-command.test-support.ts'

// What the adapter does with replicas: its read-replicas.contract.test.ts.
it('a replica of DATABASE_REPLICA_URLS that is down is named without its password', async () => {
  const { url, drop } = await createDatabase(inject('postgresUrl'))
  onTestFinished(drop)
  const { code, stderr } = await runHere('start', await temporaryFolder(), {
    DATABASE_URL: url,
    DATABASE_REPLICA_URLS: 'postgres://pet:secret@127.0.0.1:1/pets',
  })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^Cannot open the PostgreSQL database "127\.0\.0\.1:1\/pets": [^\n]*\.\n$/)
  expect(stderr).not.toContain('secret')
})
