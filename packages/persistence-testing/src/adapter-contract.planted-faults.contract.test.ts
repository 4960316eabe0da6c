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
import { TOO_BUSY } from './case/repeat-if-busy.ts'
import { bundleFileAdapter } from './testing/file-adapter/bundle.test-support.ts'
import { FAULTS, OWN_ERRORS } from './testing/file-adapter/faults.test-support.ts'
import openFilePersistence, {
  deletePet,
  openBulkAccess,
} from './testing/file-adapter/open-persistence.test-support.ts'

const folder = mkdtempSync(join(tmpdir(), 'pet-store-'))
afterAll(() => rmSync(folder, { recursive: true }))
const module = await bundleFileAdapter(folder)
let databases = 0

/** A harness for the file adapter with a fault. */
function harnessWith(fault = '', severalProcesses = true): Required<PersistenceHarness> {
  const emptyDatabase = async () => `file:${folder}/${++databases}${fault && `?${fault}`}`
  const withFile = (ending: string) => async (url: string) => {
    const file = new URL(url).pathname + ending
    writeFileSync(file, '')
    return { end: async () => rmSync(file) }
  }
  return {
    open: openFilePersistence,
    emptyDatabase,
    concurrent: true,
    // On a busy machine few sequences begin in the usual time, and the first one that notices a
    // fault may be a later one.
    randomCalls: fault === '' ? {} : { times: 5 },
    async outdatedDatabase() {
      const url = await emptyDatabase()
      const old = await openFilePersistence({ url: url.replace(/[?].*/, ''), mode: 'migrate' })
      const pets = await addPetOfEachStatus(old.pets)
      await old.close()
      const restore = async () => writeFileSync(`${new URL(url).pathname}.outdated`, '')
      await restore()
      return { url, pets, restore }
    },
    async newerDatabase() {
      const { url, pets } = await this.outdatedDatabase()
      const path = new URL(url).pathname
      rmSync(`${path}.outdated`)
      writeFileSync(`${path}.newer`, '')
      return { url, pets }
    },
    async migrateToNewer(url) {
      writeFileSync(`${new URL(url).pathname}.newer`, '')
    },
    databaseBeside: async (url) => url.replace(/([?]|$)/, '-beside$1'),
    interrupt: withFile('.down'),
    freeze: withFile('.down'),
    fill: withFile('.full'),
    async loseConnections(url) {
      writeFileSync(`${new URL(url).pathname}.losses`, 'once')
      return { end: async () => {} }
    },
    async pausedReplica(url) {
      const replica = await emptyDatabase()
      cpSync(new URL(url).pathname, new URL(replica).pathname)
      const path = new URL(replica).pathname
      return {
        url: replica,
        resume: async () => {},
        pause: async () => {},
        end: async () => rmSync(path, { force: true }),
      }
    },
    deletePet,
    openBulkAccess,
    bulkExportName: 'openBulkAccess',
    capabilities: { severalProcesses, sharedLimits: true, bulkAccess: true, replicas: true },
    module,
    exportName: 'default',
    nodeOptions: [],
    close: async () => {},
  }
}

/** It takes minutes on an adapter that writes its whole file at each call, and has its own test. */
const MANY = 'persistence.sequence.many'
/** What one open port cannot show. */
const persistenceContract = (harness: PersistenceHarness) =>
  adapterContract(harness).filter(({ id }) => id.startsWith('persistence.') && id !== MANY)
const SINGLE = 'persistence.shared.single'
const caseOf = (harness: PersistenceHarness, id: string) =>
  persistenceContract(harness).find((candidate) => candidate.id === `persistence.${id}`)

/** With an adapter whose replies come over a connection: `interleaved.contract.test.ts`. */
const SEEN_ELSEWHERE = ['persistence.interleaved.expired-keys', 'persistence.interleaved.limits']

/** What it counts are the files of this process, so nothing else runs meanwhile. */
const COUNTS_FILES = 'persistence.open.calls'

/** Runs a case again that was not tested because this machine was too busy. */
async function untilTested(
  run: () => Promise<string | undefined> | undefined,
): Promise<string | undefined> {
  for (;;) {
    const reason = await run()
    if (!reason?.startsWith(TOO_BUSY)) return reason
  }
}

/** Declares the tests of these cases. */
function testCases(isIncluded: (id: string) => boolean): void {
  const correct = persistenceContract(harnessWith()).filter(({ id }) => isIncluded(id))
  it.each(correct)('the case $id passes with a correct adapter', async ({ id, run }) => {
    expect(await run()).toBe(id === SINGLE ? 'several processes may open one database' : undefined)
  })

  const faults = FAULTS.flatMap(([fault, caughtBy]) =>
    caughtBy.split(' ').map((id) => ({ fault, words: fault.replaceAll('-', ' '), id })),
  )
  it.each(faults.filter(({ id }) => isIncluded(`persistence.${id}`)))(
    'the contract notices an adapter that $words: $id',
    async ({ fault, id }) => {
      // An error that the adapter threw where it must not is what the case rejects with.
      const isOwnError = OWN_ERRORS.includes(fault)
      // A tenth of the usual limits, so that a call may take a second.
      const isSlow = /^(?:waits|hangs|rejects-late|never-reads)/.test(fault)
      const run = () => caseOf(harnessWith(fault), id)?.run(isSlow ? 12_000 : undefined)
      await expect(untilTested(run)).rejects.toThrow(isOwnError ? Error : AssertionError)
    },
  )
}

describe('persistenceContract, with nothing else at the same time', () => {
  testCases((id) => id === COUNTS_FILES)
})

describe.concurrent('persistenceContract', () => {
  testCases((id) => id !== COUNTS_FILES)

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
      ...SEEN_ELSEWHERE,
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
        ['the adapter does not declare severalProcesses', 22],
        ['the adapter declares no capabilities', 2],
        ['the adapter has no bulk access', 21],
        ['the adapter does not declare replicas', 5],
        [missing('module'), 23],
        [missing('databaseBeside'), 1],
        [missing('outdatedDatabase'), 2],
        [missing('newerDatabase'), 1],
        [missing('migrateToNewer'), 1],
        [missing('interrupt'), 12],
        [missing('freeze'), 6],
        [missing('fill'), 1],
        [missing('loseConnections'), 1],
        [missing('deletePet'), 1],
      ]),
    )
    expect(Object.keys(counts)).toHaveLength(14)
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
