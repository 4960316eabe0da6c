import { temporaryFolder } from '@pet-store/testing'
import { createDatabase } from '@pet-store/testing-postgres'
import type {} from '@pet-store/testing-postgres/vitest-global-setup'
import { expect, inject, it, onTestFinished } from 'vitest'
import { runHere } from '../testing/run-command.test-support.ts'

// What the adapter does with replicas: its open-persistence.read-replicas.contract.test.ts.
it('a replica of DATABASE_REPLICA_URLS that is down is named without its password', async () => {
  const { url, drop } = await createDatabase(inject('postgresUrl'))
  onTestFinished(drop)
  const settings = {
    DATABASE_URL: url,
    DATABASE_REPLICA_URLS: 'postgres://pet:secret@127.0.0.1:1/pets',
  }
  const folder = await temporaryFolder()
  expect((await runHere('migrate', folder, settings)).code).toBe(0)
  const { code, stdout } = await runHere('doctor', folder, settings)
  expect(stdout).toMatch(/^warning {2}replica .*"127\.0\.0\.1:1\/pets" serves no lists: .*$/m)
  expect(stdout).not.toContain('secret')
  expect(code).toBe(0)
})
