import { AssertionError } from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adapterContract, type PersistenceHarness, persistenceContract } from '@pet-store/persistence-testing'
import { afterAll, describe, expect, it } from 'vitest'
import openFilePersistence, { openFileBulkAccess } from './testing/file-persistence.test-support.ts'

const folder = mkdtempSync(join(tmpdir(), 'pet-store-'))
afterAll(() => rmSync(folder, { recursive: true }))
let places = 0

/** A harness for the file adapter with a fault. */
function harnessWith(fault = '', severalProcesses = true): Required<PersistenceHarness> {
  const emptyPlace = async () => `file:${folder}/${++places}${fault && `?${fault}`}`
  return {
    open: openFilePersistence,
    emptyPlace,
    outdatedPlace: emptyPlace,
    openBulkAccess: openFileBulkAccess,
    capabilities: { severalProcesses, sharedLimits: true, bulkAccess: true, replicas: false },
    module: new URL('testing/file-persistence.test-support.ts', import.meta.url).href,
    exportName: 'default',
    nodeOptions: ['--conditions=@pet-store/source'],
    async interrupt(url) {
      const file = `${new URL(url).pathname}.down`
      writeFileSync(file, '')
      return { end: async () => rmSync(file) }
    },
    close: async () => {},
  }
}

const FAULTS: readonly (readonly [fault: string, caughtBy: string])[] = [
  ['forgets-ids', 'reopen.pets'],
  ['forgets-idempotency-keys', 'reopen.idempotency-keys'],
  ['forgets-api-keys', 'reopen.api-keys'],
  ['forgets-statuses', 'reopen.pets'],
  ['forgets-times', 'reopen.idempotency-keys'],
  ['forgets-hashes', 'reopen.api-keys'],
  ['keeps-a-timer', 'reopen.process-ends'],
  ['loses-pending-writes', 'reopen.pending-writes reopen.pets reopen.idempotency-keys reopen.api-keys'],
  ['cannot-read-alone', 'reopen.read-only'],
  ['connects-lazily', 'unavailable.opening'],
  ['writes-later', 'killed.acknowledged killed.at-once killed.api-keys'],
  ['caches', 'shared.pets shared.idempotency-keys shared.limits shared.api-keys shared.processes'],
  ['forgets-counts', 'shared.limits'],
  ['counts-per-process', 'shared.limits-processes'],
  ['forgets-last-id', 'bulk.pets'],
  ['forgets-bulk-keys', 'bulk.idempotency-keys'],
  ['forgets-rotations', 'bulk.api-keys'],
  ['ignores-migrate', 'migrate.empty migrate.outdated'],
  ['migrates-for-reading', 'migrate.empty'],
  ['denies-migrations', 'migrate.working migrate.outdated'],
  ['hides-unavailability', 'unavailable.reads unavailable.writes'],
  ['lies', 'unavailable.writes'],
  ['never-rejects-check', 'unavailable.check'],
]

const SINGLE = 'persistence.shared.single'
const caseOf = (harness: PersistenceHarness, id: string) =>
  persistenceContract(harness).find((candidate) => candidate.id === `persistence.${id}`)

describe('persistenceContract', () => {
  it.each(adapterContract(harnessWith()))('passes $id with a correct adapter', async ({ id, run }) => {
    expect(await run()).toBe(id === SINGLE ? 'several processes may open one place' : undefined)
  })

  for (const [fault, caughtBy] of FAULTS) {
    it.each(caughtBy.split(' '))(`notices an adapter that ${fault.replaceAll('-', ' ')}: %s`, async (id) => {
      // An error that the adapter threw where it must not is what the case rejects with.
      const isOwnError = fault === 'cannot-read-alone'
      await expect(caseOf(harnessWith(fault), id)?.run()).rejects.toThrow(isOwnError ? Error : AssertionError)
    })
  }

  it('notices an adapter that declares one process and lets a second one open', async () => {
    expect(await caseOf(harnessWith('single', false), 'shared.single')?.run()).toBeUndefined()
    for (const fault of ['', 'single-in-process']) {
      await expect(caseOf(harnessWith(fault, false), 'shared.single')?.run()).rejects.toThrow(AssertionError)
    }
  })

  it('has no case that never fails', () => {
    const caught = new Set([
      SINGLE,
      ...FAULTS.flatMap(([, caughtBy]) => caughtBy.split(' ').map((id) => `persistence.${id}`)),
    ])
    expect(persistenceContract(harnessWith()).filter(({ id }) => !caught.has(id))).toEqual([])
  })

  it('says why a case shows nothing when the harness lacks what it needs', async () => {
    const { open, emptyPlace } = harnessWith()
    const reasons = await Promise.all(persistenceContract({ open, emptyPlace }).map(({ run }) => run()))
    expect(reasons.filter((reason) => reason !== undefined)).toEqual([
      'the harness names no module for a second process',
      ...Array.from({ length: 4 }, () => 'the adapter does not declare severalProcesses'),
      ...Array.from({ length: 2 }, () => 'the harness names no module for a second process'),
      'the adapter declares no capabilities',
      ...Array.from({ length: 3 }, () => 'the harness names no module for a second process'),
      'the harness makes no place with an outdated schema',
      ...Array.from({ length: 3 }, () => 'the adapter has no bulk access'),
      ...Array.from({ length: 4 }, () => 'the harness cannot make the database unavailable'),
    ])
  })
})
