import { setTimeout } from 'node:timers/promises'
import type { NetworkFault } from '@pet-store/testing'
import { expect, it } from 'vitest'
import { emptyDatabase, openProxy, startOwnPostgres, withTls } from '../harness/database.ts'
import { itLong, randomOf, report, size } from '../harness/experiment.ts'
import { figures, Ledger, NOTHING_WRONG } from '../harness/ledger.ts'
import { listAllPets } from '../harness/list-all-pets.ts'
import { Service } from '../harness/service.ts'
import { startMixedWriters, untilMore } from '../harness/writers.ts'

const WRITERS = 16
const ROUNDS = size(1, 12)
const FAULTS: readonly NetworkFault[] = [
  'delay',
  'stall',
  'black-hole',
  'cut-replies',
  'damage-replies',
  'reset',
]

/** Applies every fault for a moment, in random order, while pets are created. */
async function runFaults(
  name: string,
  databaseUrl: string,
  faults: readonly NetworkFault[],
): Promise<void> {
  const random = randomOf(name)
  const proxy = await openProxy(databaseUrl)
  const service = await Service.start({
    databaseUrl: proxy.url,
    // Short, so that connections that stay silent are given up within the test.
    settings: { DATABASE_STATEMENT_TIMEOUT: '1000' },
  })
  const ledger = new Ledger()
  for (let round = 0; round < ROUNDS; round += 1) {
    const left = [...faults]
    while (left.length > 0) {
      const [fault = 'none'] = left.splice(random.integer(0, left.length - 1), 1)
      const prefix = `r${round}-${fault}`
      const writers = startMixedWriters({ service, ledger, writers: WRITERS, prefix })
      await untilMore(ledger, 50)
      proxy.set(fault)
      await setTimeout(random.integer(50, 500))
      proxy.set('none')
      await untilMore(ledger, 50)
      await writers.stop()
    }
  }
  expect(service.isRunning).toBe(true)
  const findings = ledger.compare(await listAllPets(service))
  report(name, { faults: ROUNDS * faults.length, ...figures(findings) })
  expect(findings).toMatchObject(NOTHING_WRONG)
}

itLong('no pet is lost or duplicated on a broken network', async () => {
  await runFaults('network faults', await emptyDatabase('PostgreSQL'), FAULTS)
})

it('no pet is lost or duplicated on a broken network with TLS', async () => {
  const server = await startOwnPostgres({ isTls: true })
  await runFaults('network faults with TLS', withTls(server.url), [...FAULTS, 'damage-requests'])
})
