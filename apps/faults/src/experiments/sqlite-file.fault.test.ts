import { existsSync } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { until } from '@pet-store/testing'
import { expect, it } from 'vitest'
import { randomOf, report, size } from '../harness/experiment.ts'
import { Ledger } from '../harness/ledger.ts'
import { listAllPets } from '../harness/list-all-pets.ts'
import { runCommand, Service } from '../harness/service.ts'
import { mountSmallDisk, remount } from '../harness/small-disk.ts'
import { startWriters, untilMore } from '../harness/writers.ts'

const PET = JSON.stringify({ name: 'Rex', categoryId: 1 })
const CREATE = { method: 'POST', path: '/v1/pets', body: PET } as const
const LIST = { path: '/v1/pets' } as const

it('a read-only disk is read from, and named where something would be written', async ({
  skip,
}) => {
  const disk = await mountSmallDisk(8, skip)
  const databaseUrl = `sqlite:${disk}/pets.db`
  const service = await Service.start({ databaseUrl })
  await service.ask(CREATE)
  await service.end('SIGTERM')
  await remount(disk, 'ro')
  const exported = await runCommand(['export'], service.folder, { DATABASE_URL: databaseUrl })
  expect(exported).toMatchObject({ exit: 0, stdout: expect.stringContaining('"Rex"') })
  const served = await runCommand(['serve'], service.folder, {
    DATABASE_URL: databaseUrl,
    PORT: '0',
  })
  expect(served.exit).toBe(1)
  expect(served.stderr).toMatch(/read-only|readonly|may not (be )?writ/i)
})

it('reads go on while another process holds the write lock', async () => {
  const service = await Service.start({ databaseUrl: 'sqlite:./pets.db' })
  await service.ask(CREATE)
  using other = new DatabaseSync(join(service.folder, 'pets.db'))
  other.exec('begin immediate')
  let hasResponse = false
  const created = service
    .ask({ ...CREATE, body: JSON.stringify({ name: 'Waiting', categoryId: 1 }) })
    .then((response) => {
      hasResponse = true
      return response
    })
  // Some at once, so that a busy machine responds to all of them within the five seconds.
  for (let round = 0; round < 5; round += 1) {
    const reads = Array.from({ length: 4 }, () => [LIST, { path: '/livez' }]).flat()
    const responses = await Promise.all(reads.map((read) => service.ask(read)))
    expect(new Set(responses.map((response) => response?.status))).toEqual(new Set([200]))
  }
  // Longer than a second of processing lies between these reads and the deadline of the write.
  expect(hasResponse).toBe(false)
  const response = await created
  expect(response?.status).toBe(503)
  expect(response?.text).toContain('was not added')
  other.exec('rollback')
  expect((await listAllPets(service)).map(({ name }) => name)).toEqual(['Rex'])
  expect((await service.ask(CREATE))?.status).toBe(201)
})

it.each([
  { what: 'moved', change: (path: string) => rename(path, `${path}.moved`) },
  { what: 'deleted', change: (path: string) => rm(path) },
])(
  'the service is not ready and acknowledges nothing after the file was $what',
  async ({ change }) => {
    const service = await Service.start({ databaseUrl: 'sqlite:./pets.db' })
    await service.ask(CREATE)
    await change(join(service.folder, 'pets.db'))
    await until(
      'the service is not ready',
      async () => (await service.ask({ path: '/readyz' }))?.status === 503,
    )
    expect((await service.ask(CREATE))?.status).toBe(503)
  },
)

it('a command that only reads creates no file', async () => {
  const service = await Service.prepare({ databaseUrl: '' })
  for (const [command, code] of [
    [['migrate', '--check'], 3],
    [['keys', 'list'], 1],
    [['export'], 1],
  ] as const) {
    const env = { DATABASE_URL: 'sqlite:./mistyped/pets.db' }
    const { exit } = await runCommand(command, service.folder, env)
    expect([command, exit]).toEqual([command, code])
    expect(existsSync(join(service.folder, 'mistyped'))).toBe(false)
  }
})

it('a damaged SQLite file gives whole responses, or a start that says why it fails', async () => {
  const random = randomOf('damaged SQLite file')
  const rounds = size(3, 30)
  const service = await Service.start({ databaseUrl: 'sqlite:./pets.db' })
  const ledger = new Ledger()
  const writers = startWriters({ service, ledger, writers: 8, withKeys: true, prefix: 'damaged' })
  await untilMore(ledger, 300)
  await writers.stop()
  await service.end('SIGTERM')
  const path = join(service.folder, 'pets.db')
  const whole = await readFile(path)
  const figures = { rounds, started: 0, responses: 0, errorResponses: 0 }
  for (let round = 0; round < rounds; round += 1) {
    const damaged = Buffer.from(whole)
    const at = random.integer(round % 2 === 0 ? 4096 : 0, whole.length - 64)
    damaged.fill(random.integer(0, 255), at, at + random.integer(1, 64))
    await writeFile(path, damaged)
    const hasStarted = await service.start().then(
      () => true,
      () => false,
    )
    if (hasStarted) {
      figures.started += 1
      for (const request of [
        LIST,
        { path: '/v1/pets?limit=100&status=sold' },
        { path: '/v1/pets/100' },
        CREATE,
      ]) {
        const status = (await service.ask(request))?.status ?? 0
        expect([200, 201, 404, 500, 503]).toContain(status)
        figures.responses += 1
        if (status >= 500) figures.errorResponses += 1
      }
      expect(await service.end('SIGTERM')).toBe(0)
    } else {
      expect(await service.end('SIGKILL')).toBe(1)
    }
    for (const suffix of ['-wal', '-shm']) await rm(path + suffix, { force: true })
  }
  report('damaged SQLite file', figures)
})
