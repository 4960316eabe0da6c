import { AsyncLocalStorage } from 'node:async_hooks'
import type { DatabaseServer, OnStatement, Persistence } from '@pet-store/persistence'
import { type Call, everyCall, prepareCalls } from '../adapter/every-call.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { assertTested } from '../case/not-tested.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { assertSeveralProcesses } from '../harness/several-processes.ts'

const GROUP = { group: 'persistence.declared', timeLimitMs: 60_000 }

/** More than an adapter has connections, so that some calls wait for others. */
const CALLS = 48
/** Of functions whose calls cost more. */
const FEWER_CALLS = 16

/** Statements belong to the calls that need them. */
export const contextCases: readonly HarnessCase[] = casesOf(GROUP, {
  'contexts: reports a statement in the context of each call, even of calls that wait': async (
    harness,
  ) => {
    const context = new AsyncLocalStorage<number>()
    const reported = new Set<number | undefined>()
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    const opened = await harness.open({
      url,
      mode: 'migrate',
      onStatement() {
        reported.add(context.getStore())
        return undefined
      },
    })
    /** Runs calls at the same time, and returns those in whose context no statement is reported. */
    const unreported = async (calls: readonly Call[]) => {
      reported.clear()
      await Promise.all(calls.map(({ run }, index) => context.run(index, run)))
      return calls.filter((_, index) => !reported.has(index)).map(({ name }) => name)
    }
    try {
      const labels = Array.from({ length: CALLS }, (_, index) => `call ${index}`)
      const changed = ['alone', ...labels.slice(0, FEWER_CALLS)]
      await Promise.all(changed.map((label) => prepareCalls(opened, label)))
      const byLabel = labels.map((label) => everyCall(opened, label))
      for (const [index, alone] of everyCall(opened, 'alone').entries()) {
        const isReported = (await unreported([alone])).length === 0
        if (index === 0) assertTested(reported.size > 0, 'the adapter reports no statements')
        const isOfPets = alone.name.startsWith('pets.')
        // An adapter may answer other calls without a statement.
        if (!isReported && !isOfPets) continue
        const count = isOfPets ? CALLS : FEWER_CALLS
        const calls = byLabel.slice(0, count).map((all) => all[index] as Call)
        const what = `the calls of ${alone.name} in whose context no statement was reported`
        expectEqual(await unreported(calls), [], what)
      }
    } finally {
      await opened.close()
    }
  },
  'listeners: reports a statement to the listener of its own opening alone': async (harness) => {
    assertSeveralProcesses(harness)
    const context = new AsyncLocalStorage<string>()
    const reported: {
      readonly call: string | undefined
      readonly listener: string
      readonly server: DatabaseServer
    }[] = []
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    const other = await harness.databaseBeside?.(url)
    const openings = new Map<string, Persistence>()
    try {
      for (const [listener, mode, where] of [
        ['first', 'migrate', url],
        ['second', 'write', url],
        ...(other === undefined ? [] : [['other', 'migrate', other] as const]),
      ] as const) {
        const onStatement: OnStatement = (_, server) => {
          reported.push({ call: context.getStore(), listener, server })
          return undefined
        }
        openings.set(listener, await harness.open({ url: where, mode, onStatement }))
      }
      for (const [name, opened] of openings) {
        await prepareCalls(opened, name)
        const calls = everyCall(opened, name)
        await context.run(name, () => Promise.all(calls.map(({ run }) => run())))
      }
      const ofCalls = reported.filter(({ call }) => call !== undefined)
      assertTested(ofCalls.length > 0, 'the adapter reports no statements')
      expectEqual(
        ofCalls.filter(({ call, listener }) => call !== listener),
        [],
        'the statements that were reported to the listener of another opening',
      )
      for (const name of openings.keys())
        expectEqual(
          ofCalls.some(({ call }) => call === name),
          true,
          `whether a statement of the ${name} of several openings was reported`,
        )
      const [first, beside] = ['first', 'other'].map((name) => {
        const own = reported.filter(({ listener }) => listener === name)
        return [...new Set(own.map(({ server }) => server.database))]
      })
      // A database need not have a name.
      if (other === undefined || reported.some(({ server }) => server.database === undefined))
        return
      expectEqual(
        [first?.length, beside?.length, first?.[0] === beside?.[0]],
        [1, 1, false],
        'how many databases each opening names that has one of two, and whether it is the same',
      )
    } finally {
      await Promise.all([...openings.values()].map(async (opened) => opened.close()))
    }
  },
})
