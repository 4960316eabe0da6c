import { setTimeout } from 'node:timers/promises'
import { createDatabase } from '@pet-store/testing-postgres'
import type {} from '@pet-store/testing-postgres/vitest-global-setup'
import { expect, inject, it, onTestFinished } from 'vitest'
import { Connection, requestBytes } from '../harness/connection.ts'
import { figures, Ledger, NOT_ACKNOWLEDGED, NOTHING_WRONG } from '../harness/ledger.ts'
import { randomOf, report, size } from '../harness/plan.ts'
import { postgresFlags, startOwnPostgres } from '../harness/postgres.ts'
import { Service } from '../harness/service.ts'
import { startWriters, untilMore, walkPets } from '../harness/writers.ts'

const WRITERS = 16
const ROUNDS = size(1, 30)

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

it('loses and doubles no pet when the service is killed, on SQLite', async () => {
  const service = await Service.prepare({ databaseUrl: 'sqlite:./pets.db' })
  await service.start()
  await runRounds('kill -9 on SQLite', service, () => killAndStart(service))
})

it('loses and doubles no pet when the service is killed, on PostgreSQL', async () => {
  const database = await createDatabase(inject('postgresUrl'))
  onTestFinished(() => database.drop())
  const service = await Service.start({ databaseUrl: database.url })
  await runRounds('kill -9 on PostgreSQL', service, () => killAndStart(service))
})

it('loses and doubles no pet when PostgreSQL stops immediately', async () => {
  const server = await startOwnPostgres()
  const service = await Service.start({ databaseUrl: server.url })
  await runRounds('PostgreSQL stopped with -m immediate', service, async () => {
    await server.stop('immediate')
    await server.start(postgresFlags())
  })
})

it.each(['SQLite', 'PostgreSQL'])(
  'responds to every creation that it processes while it is stopped, on %s',
  async (database) => {
    const name = `SIGTERM on ${database}`
    const random = randomOf(name)
    const postgres = database === 'PostgreSQL' ? await createDatabase(inject('postgresUrl')) : undefined
    onTestFinished(() => postgres?.drop())
    const service = await Service.prepare({
      databaseUrl: postgres?.url ?? 'sqlite:./pets.db',
      settings: { SHUTDOWN_DELAY: '1s' },
    })
    const ledger = new Ledger()
    for (let round = 0; round < ROUNDS; round += 1) {
      await service.start()
      const clients = Array.from({ length: WRITERS }, (_, client) => pipeline(service, ledger, `r${round}-${client}`))
      await setTimeout(random.integer(100, 500))
      expect(await service.end('SIGTERM')).toBe(0)
      await Promise.all(clients)
    }
    await service.start()
    const findings = ledger.compare(await walkPets(service))
    report(name, { rounds: ROUNDS, ...figures(findings) })
    expect(findings).toMatchObject(NOTHING_WRONG)
  },
)

/** Sends three creations in each packet, until the service ends. One without a response must not be stored. */
async function pipeline(service: Service, ledger: Ledger, prefix: string): Promise<void> {
  for (let number = 0; service.isRunning; number += 1) {
    const connection = await Connection.open(service.port).catch(() => undefined)
    if (connection === undefined) continue
    for (let packet = 0; !connection.socket.destroyed; packet += 1) {
      const names = [0, 1, 2].map((at) => `${prefix}-${number}-${packet}-${at}`)
      const requests = names.map((name) => {
        const body = JSON.stringify({ name, categoryId: 1 })
        return requestBytes({ method: 'POST', path: '/v1/pets', key: service.key, body })
      })
      connection.write(requests.join(''))
      for (const [at, name] of names.entries()) {
        const response = await connection.response(packet * 3 + at)
        ledger.note(name, response ?? NOT_ACKNOWLEDGED)
        if (response?.headers.get('connection') === 'close') connection.socket.end()
      }
    }
  }
}
