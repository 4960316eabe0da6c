import { setTimeout } from 'node:timers/promises'
import { RawConnection, requestBytes } from '@pet-store/testing'
import { expect, it } from 'vitest'
import { emptyDatabase, KINDS, postgresFlags, startOwnPostgres } from '../harness/database.ts'
import { randomOf, report, size } from '../harness/experiment.ts'
import { figures, Ledger, NOTHING_WRONG } from '../harness/ledger.ts'
import { listAllPets } from '../harness/list-all-pets.ts'
import { Service } from '../harness/service.ts'
import { startMixedWriters, untilMore } from '../harness/writers.ts'

const WRITERS = 16
const ROUNDS = size(1, 30)

/**
 * Breaks something in the middle of creations, several times, and compares what clients were told
 * with what is stored.
 */
async function runRounds(
  name: string,
  service: Service,
  crashAndRecover: () => Promise<void>,
): Promise<void> {
  const random = randomOf(name)
  const ledger = new Ledger()
  for (let round = 0; round < ROUNDS; round += 1) {
    const writers = startMixedWriters({ service, ledger, writers: WRITERS, prefix: `r${round}` })
    await untilMore(ledger, 50)
    await setTimeout(random.integer(0, 300))
    await crashAndRecover()
    // The service works again, under the same load.
    await untilMore(ledger, 50)
    await writers.stop()
  }
  const findings = ledger.compare(await listAllPets(service))
  report(name, { rounds: ROUNDS, ...figures(findings) })
  expect(findings).toMatchObject(NOTHING_WRONG)
}

it.each(KINDS)('no pet is lost or duplicated when the service is killed, on %s', async (kind) => {
  const service = await Service.start({ databaseUrl: await emptyDatabase(kind) })
  await runRounds(`kill -9 on ${kind}`, service, async () => {
    await service.end('SIGKILL')
    await service.start()
  })
})

it('no pet is lost or duplicated when PostgreSQL stops immediately', async () => {
  const server = await startOwnPostgres()
  const service = await Service.start({ databaseUrl: server.url })
  await runRounds('PostgreSQL stopped with -m immediate', service, async () => {
    await server.stop('immediate')
    await server.start(postgresFlags())
  })
})

it.each(KINDS)(
  'the service responds to every creation that it processes while it stops, on %s',
  async (kind) => {
    const name = `SIGTERM on ${kind}`
    const random = randomOf(name)
    const databaseUrl = await emptyDatabase(kind)
    const service = await Service.prepare({ databaseUrl, settings: { SHUTDOWN_DELAY: '1s' } })
    const ledger = new Ledger()
    for (let round = 0; round < ROUNDS; round += 1) {
      await service.start()
      const clients = Array.from({ length: WRITERS }, (_, client) =>
        sendAhead(service, ledger, `r${round}-${client}`),
      )
      await setTimeout(random.integer(100, 500))
      expect(await service.end('SIGTERM')).toBe(0)
      await Promise.all(clients)
    }
    await service.start()
    const findings = ledger.compare(await listAllPets(service))
    report(name, { rounds: ROUNDS, ...figures(findings) })
    expect(findings).toMatchObject(NOTHING_WRONG)
  },
)

/**
 * Sends one to three creations in each packet, until the service ends. One without a response must
 * not be stored.
 */
async function sendAhead(service: Service, ledger: Ledger, prefix: string): Promise<void> {
  let connection: RawConnection | undefined
  for (let packet = 0; service.isRunning; packet += 1) {
    if (connection?.isOpen !== true) {
      connection?.socket.destroy()
      connection = await RawConnection.open(service.port).catch(() => undefined)
    }
    if (connection === undefined) continue
    const names = [0, 1, 2].slice(packet % 3).map((index) => `${prefix}-${packet}-${index}`)
    const requests = names.map((name) => {
      const body = JSON.stringify({ name, categoryId: 1 })
      return requestBytes({ method: 'POST', path: '/v1/pets', key: service.key, body })
    })
    connection.write(requests.join(''))
    for (const name of names) {
      const response = await connection.nextResponse()
      if (response === undefined) ledger.noteUnanswered(name)
      else ledger.note(name, response)
    }
  }
  connection?.socket.destroy()
}
