import { AssertionError } from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PersistenceHarness, persistenceContract } from '@pet-store/persistence-testing'
import { afterAll, describe, expect, it } from 'vitest'
import openFilePersistence from './testing/file-persistence.test-support.ts'

const folder = mkdtempSync(join(tmpdir(), 'pet-store-'))
afterAll(() => rmSync(folder, { recursive: true }))
let places = 0

/** A harness for the file adapter with a fault. */
function harnessWith(fault = ''): Required<PersistenceHarness> {
  const emptyPlace = async () => `file:${folder}/${++places}${fault && `?${fault}`}`
  return {
    open: openFilePersistence,
    emptyPlace,
    outdatedPlace: emptyPlace,
    isShared: true,
    module: new URL('testing/file-persistence.test-support.ts', import.meta.url).href,
    exportName: 'default',
    nodeOptions: ['--conditions=@pet-store/source'],
    async interrupt(url) {
      const file = `${new URL(url).pathname}.down`
      writeFileSync(file, '')
      return { end: async () => rmSync(file) }
    },
  }
}

const FAULTS: readonly (readonly [fault: string, caughtBy: string])[] = [
  ['forgets-ids', 'reopen.pets'],
  ['forgets-idempotency-keys', 'reopen.idempotency-keys'],
  ['forgets-api-keys', 'reopen.api-keys'],
  ['loses-pending-writes', 'reopen.pending-writes reopen.pets reopen.idempotency-keys reopen.api-keys'],
  ['writes-later', 'killed.acknowledged'],
  ['caches', 'shared.pets shared.idempotency-keys shared.limits'],
  ['forgets-counts', 'shared.limits'],
  ['ignores-migrate', 'migrate.empty migrate.outdated'],
  ['denies-migrations', 'migrate.working migrate.outdated'],
  ['hides-unavailability', 'unavailable.reads unavailable.writes'],
  ['lies', 'unavailable.writes'],
  ['never-rejects-check', 'unavailable.check'],
]

const caseOf = (harness: PersistenceHarness, id: string) =>
  persistenceContract(harness).find((candidate) => candidate.id === `persistence.${id}`)

describe('persistenceContract', () => {
  it.each(persistenceContract(harnessWith()))('passes $id with a correct adapter', async ({ run }) => {
    expect(await run()).toBeUndefined()
  })

  for (const [fault, caughtBy] of FAULTS) {
    it.each(caughtBy.split(' '))(`notices an adapter that ${fault.replaceAll('-', ' ')}: %s`, async (id) => {
      await expect(caseOf(harnessWith(fault), id)?.run()).rejects.toThrow(AssertionError)
    })
  }

  it('has no case that never fails', () => {
    const caught = new Set(FAULTS.flatMap(([, caughtBy]) => caughtBy.split(' ').map((id) => `persistence.${id}`)))
    expect(persistenceContract(harnessWith()).filter(({ id }) => !caught.has(id))).toEqual([])
  })

  it('says why a case shows nothing when the harness lacks what it needs', async () => {
    const { open, emptyPlace } = harnessWith()
    const reasons = await Promise.all(persistenceContract({ open, emptyPlace }).map(({ run }) => run()))
    expect(reasons.filter((reason) => reason !== undefined)).toEqual([
      ...Array.from({ length: 3 }, () => 'the adapter does not declare that several processes may open one place'),
      'the harness names no module for a second process',
      'the harness makes no place with an outdated schema',
      ...Array.from({ length: 3 }, () => 'the harness cannot make the database unavailable'),
    ])
  })
})
