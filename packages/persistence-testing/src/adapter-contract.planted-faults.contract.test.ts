import { AssertionError } from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  adapterContract,
  addPetOfEachStatus,
  type PersistenceHarness,
} from '@pet-store/persistence-testing'
import { afterAll, describe, expect, it } from 'vitest'
import openFilePersistence, {
  deletePet,
  openBulkAccess,
} from './testing/file-persistence.test-support.ts'

const folder = mkdtempSync(join(tmpdir(), 'pet-store-'))
afterAll(() => rmSync(folder, { recursive: true }))
let databases = 0

/** A harness for the file adapter with a fault. */
function harnessWith(fault = '', severalProcesses = true): Required<PersistenceHarness> {
  const emptyDatabase = async () => `file:${folder}/${++databases}${fault && `?${fault}`}`
  const isDown = async (url: string) => {
    const file = `${new URL(url).pathname}.down`
    writeFileSync(file, '')
    return { end: async () => rmSync(file) }
  }
  return {
    open: openFilePersistence,
    emptyDatabase,
    concurrent: true,
    async outdatedDatabase() {
      const url = await emptyDatabase()
      const old = await openFilePersistence({ url: url.replace(/[?].*/, ''), mode: 'migrate' })
      const pets = await addPetOfEachStatus(old.pets)
      await old.close()
      const restore = async () => writeFileSync(`${new URL(url).pathname}.outdated`, '')
      await restore()
      return { url, pets, restore }
    },
    databaseBeside: async (url) => url.replace(/([?]|$)/, '0$1'),
    interrupt: isDown,
    freeze: isDown,
    async pausedReplica(url) {
      const replica = await emptyDatabase()
      cpSync(new URL(url).pathname, new URL(replica).pathname)
      const path = new URL(replica).pathname
      return {
        url: replica,
        resume: async () => {},
        end: async () => rmSync(path, { force: true }),
      }
    },
    deletePet,
    openBulkAccess,
    bulkExportName: 'openBulkAccess',
    capabilities: { severalProcesses, sharedLimits: true, bulkAccess: true, replicas: true },
    module: new URL('testing/file-persistence.test-support.ts', import.meta.url).href,
    exportName: 'default',
    nodeOptions: ['--conditions=@pet-store/source'],
    close: async () => {},
  }
}

const FAULTS: readonly (readonly [fault: string, caughtBy: string])[] = [
  ['forgets-ids', 'reopen.pets'],
  ['garbles-when-reopened', 'reopen.odd-names'],
  ['keeps-a-transaction-open', 'reopen.after-rejected'],
  ['forgets-idempotency-keys', 'reopen.idempotency-keys'],
  ['forgets-api-keys', 'reopen.api-keys'],
  ['remembers-deleted-pets', 'reopen.deleted-pet'],
  ['keeps-a-timer', 'reopen.process-ends'],
  [
    'loses-pending-writes',
    'reopen.pending-writes reopen.pets reopen.idempotency-keys reopen.api-keys',
  ],
  ['cannot-read-alone', 'reopen.pets'],
  ['connects-lazily', 'unavailable.reads'],
  ['writes-later', 'killed.acknowledged killed.at-once killed.api-keys'],
  ['replays-before-it-stores', 'killed.at-once'],
  ['rotates-in-two-steps', 'killed.rotations'],
  ['uses-in-parts', 'killed.uses'],
  ['closes-early', 'reopen.pending-writes'],
  ['cuts-calls-off', 'unavailable.closed-briefly'],
  ['denies-lost-replies', 'unavailable.frozen-writes'],
  ['waits-forever', 'unavailable.closed-frozen'],
  ['fails-in-the-background', 'unavailable.background'],
  ['tells-the-time-while-down', 'unavailable.reads unavailable.frozen'],
  ['serves-known-keys-while-down', 'unavailable.reads unavailable.frozen'],
  ['caches', 'shared.pets shared.idempotency-keys shared.limits shared.api-keys shared.processes'],
  ['caches-keys', 'shared.api-keys'],
  ['caches-pages', 'shared.fresh-reads'],
  ['forgets-counts', 'shared.limits'],
  ['counts-per-process', 'shared.limits-processes'],
  ['forgets-last-id', 'bulk.pets'],
  ['forgets-bulk-keys', 'bulk.idempotency-keys'],
  ['stores-progress-later', 'bulk.killed'],
  ['forgets-rotations', 'bulk.api-keys'],
  ['keeps-old-rotations', 'bulk.replaced-keys'],
  ['keeps-old-hashes', 'bulk.replaced-keys'],
  ['lists-from-zero', 'bulk.int64'],
  ['imports-over-added-pets', 'bulk.beside'],
  ['rejects-reads-when-closed', 'reopen.pending-writes'],
  ['opens-one-at-a-time', 'open.at-once open.processes'],
  ['shares-databases', 'open.two-databases'],
  ['leaks-when-rejected', 'open.rejected'],
  ['keeps-a-timer-when-rejected', 'open.rejected'],
  ['leaks-when-opened', 'open.rejected open.many'],
  ['migrates-outdated-for-reading', 'migrate.outdated'],
  ['throws-itself', 'declared.promises'],
  ['returns-queries', 'declared.promises unavailable.reads'],
  ['tells-values', 'declared.reports'],
  ['never-ends-statements', 'declared.reports'],
  ['counts-pools-later', 'declared.reports'],
  ['acknowledges-early', 'unavailable.acknowledged unavailable.closed'],
  ['repeats-writes', 'unavailable.acknowledged'],
  ['repeats-keyed-writes', 'unavailable.acknowledged'],
  ['hangs-in-take', 'unavailable.writes unavailable.frozen'],
  ['allows-while-down', 'unavailable.writes unavailable.frozen'],
  ['hangs-in-apiKeys.list', 'unavailable.reads unavailable.frozen'],
  ['hangs-in-apiKeys.markUsed', 'unavailable.writes unavailable.frozen'],
  ['rejects-late', 'unavailable.reads unavailable.writes unavailable.frozen'],
  ['takes-an-outage-for-migrations', 'unavailable.reads unavailable.frozen'],
  ['loses-statuses-when-down', 'unavailable.writes unavailable.frozen'],
  ['loses-uses-when-down', 'unavailable.writes unavailable.frozen'],
  ['ignores-migrate', 'migrate.empty migrate.outdated'],
  ['migrates-for-reading', 'migrate.empty migrate.read-only'],
  ['creates-for-bulk-reading', 'migrate.read-only'],
  ['loses-old-pets', 'migrate.outdated'],
  ['leaves-an-index-empty', 'migrate.outdated'],
  ['finds-by-double', 'bulk.pets'],
  ['pages-by-double', 'bulk.pets'],
  ['caches-a-few-ids', 'shared.fresh-reads'],
  ['caches-lists', 'shared.fresh-reads'],
  ['closes-all', 'shared.close'],
  ['overwrites-revocations', 'shared.revocations'],
  ['reads-any-replica', 'declared.replicas declared.other-replica'],
  ['forgets-on-a-crash', 'unavailable.acknowledged'],
  ['stores-later', 'unavailable.writes unavailable.acknowledged'],
  ['waits-forever', 'unavailable.frozen'],
  ['acknowledges-keys-while-down', 'unavailable.writes'],
  ['denies-migrations', 'migrate.empty migrate.outdated'],
  ['creates-for-bulk-writing', 'migrate.empty'],
  ['reads-no-bulk-alone', 'bulk.read'],
  ['keeps-a-timer-for-bulk', 'reopen.process-ends'],
  ['reads-a-snapshot', 'shared.reader shared.reader-beside-writes'],
  ['stores-in-two-steps', 'shared.reader-beside-writes'],
  ['loses-context', 'declared.reports'],
  ['tells-the-time-as-text', 'declared.reports'],
  ['hangs-in-bulk', 'unavailable.bulk'],
  ['acknowledges-bulk-while-down', 'unavailable.bulk'],
  ['moves-ids-later', 'unavailable.bulk-acknowledged'],
  ['repeats-bulk', 'unavailable.bulk'],
  ['repeats-bulk-in-a-call', 'unavailable.bulk-once'],
  ['denies-stored-pages', 'unavailable.bulk-once'],
  ['denies-stored-keys', 'unavailable.bulk-once'],
  ['stores-half-a-page', 'unavailable.bulk'],
  ['hides-unavailability', 'unavailable.reads unavailable.writes'],
  ['lies', 'unavailable.writes'],
  ['never-rejects-check', 'unavailable.writes'],
  ['never-knows', 'unavailable.writes'],
  ['hangs-with-a-reply-on-its-way', 'unavailable.acknowledged'],
  ['caches-repeats', 'reopen.deleted-pet'],
  ['finds-the-last-id', 'reopen.deleted-pet'],
  ['hides-after-gaps', 'bulk.pets'],
  ['reads-half-alone', 'bulk.read'],
  ['writes-bulk-later', 'bulk.killed-at-once'],
  ['ends-with-the-overlap', 'bulk.api-keys'],
  ['dates-keys-anew', 'bulk.idempotency-keys'],
  ['opens-missing-for-reading', 'migrate.read-only'],
  ['migrates-once', 'migrate.at-once'],
  ['opens-bulk-outdated', 'migrate.outdated'],
  ['leaks-in-bulk', 'open.rejected open.many'],
  ['adds-a-listener', 'open.many'],
  ['listens-in-every-call', 'open.calls'],
  ['opens-a-file-in-every-call', 'open.calls'],
  ['shows-unfinished-pages', 'bulk.rejected'],
  ['counts-unfinished-pages', 'bulk.rejected'],
  ['needs-ends', 'declared.reports'],
  ['tells-the-time-in-seconds', 'declared.reports'],
  ['deletes-keys-early', 'reopen.idempotency-lifetime'],
  ['deletes-late-keys', 'reopen.idempotency-late'],
  ['unrefs-timers', 'reopen.process-ends'],
  ['remembers-migrations', 'migrate.outdated'],
  ['hides-failures', 'declared.failures'],
  ['never-ends-failures', 'declared.failures'],
  ['hides-replica-problems', 'declared.replicas'],
  ['names-no-replica', 'declared.replicas'],
  ['needs-every-replica', 'declared.replicas'],
  ['fails-without-a-replica', 'declared.replicas declared.replica-ends'],
  ['never-reads-a-replica', 'declared.replica-ends'],
  ['keeps-a-timer-with-a-replica', 'declared.replica-closed'],
  ['accepts-any-replica', 'declared.other-replica'],
  ['dates-by-process', 'shared.clock'],
  ['counts-by-its-own-clock', 'shared.clock'],
  ['looks-before-it-replaces', 'shared.api-keys-processes'],
]

/** Faults whose own error is what a case rejects with. */
const OWN_ERRORS = [
  ...['cannot-read-alone', 'closes-all', 'reads-no-bulk-alone', 'needs-ends'],
  ...['needs-every-replica', 'fails-without-a-replica'],
]

/** What one open port cannot show. */
const persistenceContract = (harness: PersistenceHarness) =>
  adapterContract(harness).filter(({ id }) => id.startsWith('persistence.'))
const SINGLE = 'persistence.shared.single'
const caseOf = (harness: PersistenceHarness, id: string) =>
  persistenceContract(harness).find((candidate) => candidate.id === `persistence.${id}`)

describe.concurrent('persistenceContract', () => {
  it.each(persistenceContract(harnessWith()))(
    'the case $id passes with a correct adapter',
    async ({ id, run }) => {
      expect(await run()).toBe(
        id === SINGLE ? 'several processes may open one database' : undefined,
      )
    },
  )

  for (const [fault, caughtBy] of FAULTS) {
    it.each(caughtBy.split(' '))(
      `the contract notices an adapter that ${fault.replaceAll('-', ' ')}: %s`,
      async (id) => {
        // An error that the adapter threw where it must not is what the case rejects with.
        const isOwnError = OWN_ERRORS.includes(fault)
        // A tenth of the usual limits, so that a call may take a second.
        const isSlow = /^(?:waits|hangs|rejects-late|never-reads)/.test(fault)
        await expect(
          caseOf(harnessWith(fault), id)?.run(isSlow ? 12_000 : undefined),
        ).rejects.toThrow(isOwnError ? Error : AssertionError)
      },
    )
  }

  it('the contract notices an adapter that opens twice but declares one process', async () => {
    expect(await caseOf(harnessWith('single', false), 'shared.single')?.run()).toBeUndefined()
    for (const fault of ['', 'single-in-process', 'single-but-for-reading']) {
      await expect(caseOf(harnessWith(fault, false), 'shared.single')?.run()).rejects.toThrow(
        AssertionError,
      )
    }
  })

  it.each(['sharedLimits', 'bulkAccess', 'severalProcesses'])(
    'the contract notices an adapter that declares another %s',
    async (name) => {
      const harness = harnessWith()
      const declared = { ...harness.capabilities, [name]: false }
      const run = caseOf({ ...harness, capabilities: declared }, 'declared.capabilities')?.run()
      await expect(run).rejects.toThrow(AssertionError)
    },
  )

  it('the cases of a whole adapter have been seen to fail', () => {
    const caught = new Set([
      SINGLE,
      'persistence.declared.capabilities',
      ...FAULTS.flatMap(([, caughtBy]) => caughtBy.split(' ').map((id) => `persistence.${id}`)),
    ])
    expect(persistenceContract(harnessWith()).filter(({ id }) => !caught.has(id))).toEqual([])
  })

  it('a case says why it was not tested when the harness lacks what it needs', async () => {
    const { open, emptyDatabase } = harnessWith()
    const reasons = await Promise.all(
      persistenceContract({ open, emptyDatabase }).map(({ run }) => run()),
    )
    const counts: Record<string, number> = {}
    for (const reason of reasons)
      if (reason !== undefined) counts[reason] = (counts[reason] ?? 0) + 1
    const missing = (name: string) => expect.stringMatching(`^the harness has no ${name}, which `)
    expect(Object.entries(counts)).toEqual(
      expect.arrayContaining([
        ['the adapter does not declare severalProcesses', 10],
        ['the adapter declares no capabilities', 2],
        ['the adapter has no bulk access', 9],
        ['the adapter does not declare replicas', 3],
        [missing('module'), 19],
        [missing('databaseBeside'), 1],
        [missing('outdatedDatabase'), 2],
        [missing('interrupt'), 5],
        [missing('freeze'), 4],
        [missing('deletePet'), 1],
      ]),
    )
    expect(Object.keys(counts)).toHaveLength(10)
  })

  it('adapterContract has cases whose ids and names are unique, and ids formatted alike', () => {
    const cases = adapterContract(harnessWith())
    const ids = cases.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    // Some runners take no two tests of one name.
    expect(new Set(cases.map(({ name }) => name)).size).toBe(ids.length)
    for (const id of ids) expect(id).toMatch(/^[a-z-]+([.][a-z0-9-]+)+$/)
  })
})
