import { setTimeout } from 'node:timers/promises'
import { createDatabase } from '@pet-store/testing-postgres'
import type {} from '@pet-store/testing-postgres/vitest-global-setup'
import { expect, inject, it, onTestFinished } from 'vitest'
import { figures, Ledger, NOTHING_WRONG } from '../harness/ledger.ts'
import { randomOf, report, size } from '../harness/plan.ts'
import { postgresFlags, startOwnPostgres } from '../harness/postgres.ts'
import { Service } from '../harness/service.ts'
import { startWriters, untilMore, walkPets } from '../harness/writers.ts'

const WRITERS = 16
const ROUNDS = size(2, 30)
const TIMEOUT_MS = 20_000 + ROUNDS * 10_000

/** Breaks something in the middle of creations, several times, and compares what clients were told with what is stored. */
async function runRounds(name: string, service: Service, crashAndRecover: () => Promise<void>): Promise<void> {
  const random = randomOf(name)
  const ledger = new Ledger()
  for (let round = 0; round < ROUNDS; round += 1) {
    const prefix = `r${round}`
    const withKeys = startWriters({ service, ledger, writers: WRITERS / 2, withKeys: true, prefix: `${prefix}-keyed` })
    const without = startWriters({ service, ledger, writers: WRITERS / 2, withKeys: false, prefix: `${prefix}-plain` })
    await untilMore(ledger, 50)
    await setTimeout(random.integer(0, 300))
    await crashAndRecover()
    // The service works again, under the same load.
    await untilMore(ledger, 50)
    await Promise.all([withKeys.stop(), without.stop()])
  }
  const findings = ledger.compare(await walkPets(service))
  report(name, { rounds: ROUNDS, ...figures(findings) })
  expect(findings).toMatchObject(NOTHING_WRONG)
}

async function killAndStart(service: Service): Promise<void> {
  await service.end('SIGKILL')
  await service.start()
}

it('loses and doubles no pet when the service is killed, on SQLite', { timeout: TIMEOUT_MS }, async () => {
  const service = await Service.prepare({ databaseUrl: 'sqlite:./pets.db' })
  await service.start()
  await runRounds('kill -9 on SQLite', service, () => killAndStart(service))
})

it('loses and doubles no pet when the service is killed, on PostgreSQL', { timeout: TIMEOUT_MS }, async () => {
  const database = await createDatabase(inject('postgresUrl'))
  onTestFinished(() => database.drop())
  const service = await Service.start({ databaseUrl: database.url })
  await runRounds('kill -9 on PostgreSQL', service, () => killAndStart(service))
})

it('loses and doubles no pet when PostgreSQL stops immediately', { timeout: TIMEOUT_MS }, async () => {
  const server = await startOwnPostgres()
  const service = await Service.start({ databaseUrl: server.url })
  await runRounds('PostgreSQL stopped with -m immediate', service, async () => {
    await server.stop('immediate')
    await server.start(postgresFlags())
  })
})
