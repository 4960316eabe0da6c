import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '@pet-store/testing'
import { expect, it } from 'vitest'
import { randomOf, report, size } from '../harness/experiment.ts'
import { figures, Ledger, NOTHING_WRONG } from '../harness/ledger.ts'
import { listAllPets } from '../harness/list-all-pets.ts'
import { runCommand, Service } from '../harness/service.ts'
import { startWriters, untilMore } from '../harness/writers.ts'

const DATABASE = { DATABASE_URL: 'sqlite:./pets.db' }

/** What is done to files while the service runs, and undone before it is started again. */
const EVENTS = {
  'the file is moved': ['.db'],
  'the file and its log are moved': ['.db', '.db-wal'],
  'everything is moved': ['.db', '.db-wal', '.db-shm'],
  'the log is moved': ['.db-wal'],
  'the index of the log is moved': ['.db-shm'],
} as const

it('no acknowledged pet is lost when files are moved, in any order, and put back', async () => {
  const random = randomOf('moved files')
  const service = await Service.start({ databaseUrl: DATABASE.DATABASE_URL })
  const ledger = new Ledger()
  const inFolder = (name: string) => join(service.folder, name)
  const rounds = size(2, 40)
  for (let round = 0; round < rounds; round += 1) {
    const writers = startWriters({
      service,
      ledger,
      writers: 4,
      withKeys: false,
      prefix: `round-${round}`,
    })
    await untilMore(ledger, 50)
    const names = Object.values(EVENTS)[random.integer(0, 4)] ?? []
    for (const name of names) await rename(inFolder(`pets${name}`), inFolder(`moved${name}`))
    const rejected = ledger.rejected
    await until('pets are rejected', () => ledger.rejected > rejected)
    // None of these commands may create a database, or write to this one.
    for (const command of ['keys create --name other', 'migrate', 'doctor']) {
      if (random.integer(0, 1) === 1) continue
      await runCommand(command.split(' '), service.folder, DATABASE)
    }
    const stopped = writers.stop()
    await service.end(random.integer(0, 1) === 1 ? 'SIGTERM' : 'SIGKILL')
    if (random.integer(0, 1) === 1) await runCommand(['migrate'], service.folder, DATABASE)
    for (const name of names) await rename(inFolder(`moved${name}`), inFolder(`pets${name}`))
    await service.start()
    await stopped
    expect(ledger.compare(await listAllPets(service))).toMatchObject(NOTHING_WRONG)
  }
  report('moved files', { rounds, ...figures(ledger.compare(await listAllPets(service))) })
})
