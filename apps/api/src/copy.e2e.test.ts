import { randomUUID } from 'node:crypto'
import { createApiKeyUseCases } from '@pet-store/access'
import { createPetUseCases, INT64, type Pet } from '@pet-store/domain'
import type { BulkAccess } from '@pet-store/persistence'
import { openPostgresPersistence } from '@pet-store/persistence-postgres'
import { openSqlitePersistence } from '@pet-store/persistence-sqlite'
import { createDatabase } from '@pet-store/testing-postgres'
import type {} from '@pet-store/testing-postgres/vitest-global-setup'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { copyEverything } from './copy.ts'
import type { Progress } from './data/progress.ts'
import { openBulk } from './persistence/open-persistence.ts'
import { readSettings } from './settings/read-settings.ts'
import { runProgram, temporaryFolder } from './testing/run-program.test-support.ts'

const cleanUps: (() => Promise<unknown>)[] = []
let folder: string

beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/** Where an empty database of each kind is. */
const PLACES = {
  SQLite: async () => `sqlite:${folder}/${randomUUID()}.db`,
  async PostgreSQL() {
    const { url, drop } = await createDatabase(inject('postgresUrl'))
    cleanUps.push(drop)
    return url
  },
}
type Kind = keyof typeof PLACES

function openPersistence(url: string) {
  return url.startsWith('sqlite:')
    ? openSqlitePersistence({ url, migrate: true })
    : openPostgresPersistence({ url, migrate: true })
}

async function using<Result>(
  url: string,
  work: (storage: Awaited<ReturnType<typeof openPersistence>>) => Promise<Result>,
) {
  const storage = await openPersistence(url)
  try {
    return await work(storage)
  } finally {
    await storage.close()
  }
}

const OPTIONS = { idempotencyKey: { owner: 'kiosk', key: 'again', at: new Date() } }

/** Pets at the edges, one of them under a key; an API key that was rotated and one that was revoked. */
async function fill(url: string, count = 0): Promise<void> {
  await using(url, async ({ pets, apiKeys }) => {
    const { createPet } = createPetUseCases(pets)
    await createPet({ name: 'Top', categoryId: INT64.max, status: 'sold' })
    await createPet({ name: 'Bottom', categoryId: INT64.min })
    await createPet({ name: `it's "odd"\\,{}\t\n🐕 NULL`, categoryId: 2n ** 53n + 1n, status: 'pending' })
    await createPet({ name: 'NULL', categoryId: 0n, status: 'available' }, OPTIONS)
    await Promise.all(Array.from({ length: count }, (_, index) => createPet({ name: `Pet ${index}`, categoryId: 1n })))
    const { issueApiKey, rotateApiKey, revokeApiKey } = createApiKeyUseCases(apiKeys)
    const { key } = await issueApiKey({ name: 'kiosk', scopes: ['pets:read'], lifetimeMs: 1e9 })
    await rotateApiKey((await issueApiKey({ name: 'shop' })).key.id, 1e6)
    await revokeApiKey(key.id)
    await apiKeys.markUsed([{ id: key.id, at: new Date() }])
  })
}

function contents(url: string) {
  return using(url, async ({ pets, apiKeys }) => ({
    pets: await allPets((after) => pets.list({ limit: 1000, ...(after !== undefined && { after }) })),
    apiKeys: (await apiKeys.list()).toSorted((one, other) => (one.id < other.id ? -1 : 1)),
  }))
}

async function allPets(list: (after?: bigint) => Promise<readonly Pet[]>): Promise<readonly Pet[]> {
  const all: Pet[] = []
  for (;;) {
    const page = await list(all.at(-1)?.id)
    if (page.length === 0) return all
    all.push(...page)
  }
}

async function open(url: string): Promise<BulkAccess> {
  const bulk = await openBulk(url, true, readSettings([], {}))
  cleanUps.push(bulk.close)
  return bulk
}

const silent: Progress = { begin: () => ({ advance() {}, end() {} }) }

describe.each<[Kind, Kind]>([
  ['SQLite', 'PostgreSQL'],
  ['PostgreSQL', 'SQLite'],
  ['SQLite', 'SQLite'],
])('Copying from %s to %s', (fromKind, toKind) => {
  it('keeps ids, absence, exact integers and API keys, and goes on counting behind them', async () => {
    const [from, to] = [await PLACES[fromKind](), await PLACES[toKind]()]
    await fill(from)
    const report = await copyEverything(await open(from), await open(to), silent)
    expect(report).toMatchObject({ pets: 4, apiKeys: 3, checksum: expect.stringMatching(/^[0-9a-f]{64}$/) as string })
    const copied = await contents(to)
    expect(copied).toEqual(await contents(from))

    await using(to, async ({ pets }) => {
      const { createPet } = createPetUseCases(pets)
      const { pet: again } = await createPet({ name: 'NULL', categoryId: 0n, status: 'available' }, OPTIONS)
      expect(again).toEqual(copied.pets.at(-1))
      expect((await createPet({ name: 'New', categoryId: 1n })).pet.id).toBeGreaterThan(again.id)
    })
  })

  it('takes along which files were imported, once', async () => {
    const [from, to] = [await open(await PLACES[fromKind]()), await open(await PLACES[toKind]())]
    const note = { id: 1n, sha256: 'ab', state: 'finished', lines: 2 ** 52 + 1, changedAt: new Date(5) } as const
    await from.addPets([], { to: note })
    await from.addPets([], { to: { ...note, id: 2n, state: 'unfinished' } })
    await copyEverything(from, to, silent)
    await copyEverything(from, to, silent)
    expect(await to.readPetImports()).toEqual(await from.readPetImports())
    expect(await to.readPetImports()).toHaveLength(2)
  })

  it('goes on where it was interrupted', async () => {
    const [from, to] = [await PLACES[fromKind](), await PLACES[toKind]()]
    await fill(from, 12_000)
    const [source, target] = [await open(from), await open(to)]
    let batches = 0
    const breaking: BulkAccess = {
      ...target,
      async writePets(rows) {
        batches += 1
        if (batches === 2) throw new Error('cut off')
        await target.writePets(rows)
      },
    }
    await expect(copyEverything(source, breaking, silent)).rejects.toThrow('cut off')
    expect(await target.countPets()).toBe(5_000)
    let written = 0
    const counting: BulkAccess = {
      ...target,
      async writePets(rows) {
        written += rows.length
        await target.writePets(rows)
      },
    }
    expect(await copyEverything(source, counting, silent)).toMatchObject({ pets: 12_004 })
    expect(written).toBe(7_004)
    expect(await contents(to)).toEqual(await contents(from))
  })

  it('is refused where there are other pets or other API keys, and changes nothing', async () => {
    const [from, to, third] = [await PLACES[fromKind](), await PLACES[toKind](), await PLACES[toKind]()]
    await fill(from)
    await using(to, async ({ pets }) => {
      await createPetUseCases(pets).createPet({ name: 'Other', categoryId: 1n })
    })
    await using(third, async ({ apiKeys }) => {
      await createApiKeyUseCases(apiKeys).issueApiKey({ name: 'other' })
    })
    for (const [url, sentence] of [
      [to, 'The target holds other pets.'],
      [third, 'The target holds API keys that the source does not, or that were changed in either since: key_'],
    ] as const) {
      const before = await contents(url)
      await expect(copyEverything(await open(from), await open(url), silent)).rejects.toThrow(sentence)
      expect(await contents(url)).toEqual(before)
    }
  })

  it('stores a batch whole or not at all, and never lets ids go back', async () => {
    const to = await open(await PLACES[toKind]())
    const rows = [1n, 2n, 2n, 3n].map((id) => ({ id, name: `Pet ${id}`, categoryId: 1n }))
    await expect(to.writePets(rows)).rejects.toThrow()
    expect(await to.countPets()).toBe(0)
    expect(await to.lastPetId()).toBeLessThanOrEqual(1n)
    await to.movePetIdsPast(50n)
    await to.movePetIdsPast(7n)
    expect(await to.lastPetId()).toBe(50n)
  })
})

it('A source that goes on being written is noticed in the end', async () => {
  const [from, to] = [await PLACES.SQLite(), `sqlite:${folder}/to.db`]
  await fill(from)
  const target = await open(to)
  const late: BulkAccess = {
    ...target,
    async movePetIdsPast(id) {
      await fill(from)
      await target.movePetIdsPast(id)
    },
  }
  await expect(copyEverything(await open(from), late, silent)).rejects.toThrow(
    'The copy differs from its source: 4 pets and 6 API keys against 7 and 6. Stop whatever writes to either',
  )
})

it('An API key that was changed after it was copied is named as such', async () => {
  const [from, to] = [await PLACES.SQLite(), `sqlite:${folder}/to.db`]
  await fill(from)
  await copyEverything(await open(from), await open(to), silent)
  const id = await using(from, async ({ apiKeys }) => {
    const [shop] = (await apiKeys.list()).filter(({ name, replacedBy }) => name === 'shop' && replacedBy === undefined)
    await apiKeys.revoke(shop?.id ?? '', new Date())
    return shop?.id
  })
  await expect(copyEverything(await open(from), await open(to), silent)).rejects.toThrow(
    `changed in either since: ${id}. Copy to an empty database instead.`,
  )
})

describe('pet-store copy', () => {
  const run = async (command: string, settings = {}) => {
    const { ended, output } = runProgram(command, folder, settings)
    return { code: await ended, ...output }
  }

  it('tells on standard error how far it is, and the outcome on standard output', async () => {
    await fill(`sqlite:${folder}/a.db`)
    const { code, stdout, stderr } = await run('copy --from sqlite:a.db', { DATABASE_URL: 'sqlite:b.db' })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Both sides hold 4 pets and 3 API keys; the checksum of each is [0-9a-f]{64}\.\n$/)
    expect(stderr).toMatch(/^Copying pets: 4, \d+ s\nComparing both sides: 8, \d+ s\n$/)
  })

  it.each([
    ['copy', '--from and --to name the same database.'],
    ['copy --from sqlite:a.db --to sqlite:a.db', '--from and --to name the same database.'],
    ['copy --from sqlite:typo.db', 'There is no file "typo.db".'],
    [
      'copy --from mysql://root:secret@host/db',
      'The URL of a database must be sqlite: and the path of a file, or postgres:',
    ],
  ])('%s is refused in one sentence', async (command, sentence) => {
    const { code, stdout, stderr } = await run(command)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(sentence)
    expect(stderr).not.toContain('secret')
  })
})
