import { link, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createApiKeyUseCases } from '@pet-store/access'
import { createPetUseCases, IDEMPOTENCY_KEY_LIFETIME_MS, INT64 } from '@pet-store/domain'
import { openPostgresPersistence } from '@pet-store/persistence-postgres'
import { openSqlitePersistence } from '@pet-store/persistence-sqlite'
import { temporaryFolder } from '@pet-store/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { runHere, withoutProgress } from '../testing/run-command.test-support.ts'
import { runProgram } from '../testing/run-program.test-support.ts'
import { copyDatabase } from './copy.ts'
import { DATABASES, type KINDS, openDatabase } from './testing/databases.test-support.ts'

type Kind = (typeof KINDS)[number]

let folder: string

beforeEach(async () => {
  folder = await temporaryFolder()
})

function openPersistence(url: string) {
  return url.startsWith('sqlite:')
    ? openSqlitePersistence({ url, mode: 'migrate' })
    : openPostgresPersistence({ url, mode: 'migrate' })
}

async function using<Result>(
  url: string,
  work: (persistence: Awaited<ReturnType<typeof openPersistence>>) => Promise<Result>,
) {
  const persistence = await openPersistence(url)
  try {
    return await work(persistence)
  } finally {
    await persistence.close()
  }
}

/** Unusual pets; an API key that was rotated and one that was revoked. */
async function fill(url: string): Promise<void> {
  await using(url, async ({ pets, apiKeys }) => {
    const { createPet } = createPetUseCases(pets)
    await createPet({ name: 'Top', categoryId: INT64.max, status: 'sold' })
    await createPet({ name: 'Bottom', categoryId: INT64.min })
    await createPet({
      name: `it's "odd"\\,{}\t\n🐕 NULL`,
      categoryId: 2n ** 53n + 1n,
      status: 'pending',
    })
    const { issueApiKey, rotateApiKey, revokeApiKey } = createApiKeyUseCases(apiKeys)
    const { key } = await issueApiKey({ name: 'kiosk', scopes: ['pets:read'], lifetimeMs: 1e9 })
    await rotateApiKey((await issueApiKey({ name: 'shop' })).key.id, 1e6)
    await revokeApiKey(key.id)
    await apiKeys.markUsed([{ id: key.id, at: new Date() }])
  })
}

function contents(url: string) {
  return using(url, async ({ pets, apiKeys }) => ({
    pets: await pets.list({ limit: 100 }),
    apiKeys: (await apiKeys.list()).toSorted((one, other) => (one.id < other.id ? -1 : 1)),
  }))
}

it.each<[Kind, Kind]>([
  ['SQLite', 'PostgreSQL'],
  ['PostgreSQL', 'SQLite'],
])(
  'copy from %s to %s keeps everything, and is brought up to date when it is repeated',
  async (fromKind, toKind) => {
    const from = await DATABASES[fromKind]()
    const to = await DATABASES[toKind]()
    const source = await openDatabase(from)
    const target = await openDatabase(to)
    await fill(from)
    const started = { id: 1n, sha256: 'ab', lines: 2 ** 40, state: 'unfinished' } as const
    const unfinished = { ...started, changedAt: new Date(5) }
    await source.addPets([], { to: unfinished })
    const now = Date.now()
    const createKeyed = (url: string, name: string, at: number) =>
      using(url, ({ pets }) =>
        createPetUseCases(pets).createPet(
          { name, categoryId: 1n },
          { idempotencyKey: { owner: 'kiosk', key: 'k', at: new Date(at) } },
        ),
      )
    await createKeyed(from, 'Old', now - IDEMPOTENCY_KEY_LIFETIME_MS)
    const report = await copyDatabase(source, target)
    expect(report).toMatchObject({
      pets: 4,
      apiKeys: 3,
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    })
    expect(await contents(to)).toEqual(await contents(from))

    // The idempotency key has expired, and is used again.
    const { pet } = await createKeyed(from, 'New', now)
    await using(from, async ({ apiKeys }) => {
      const { rotateApiKey, revokeApiKey } = createApiKeyUseCases(apiKeys)
      const ids = (await apiKeys.list())
        .filter(({ replacedBy }) => replacedBy === undefined)
        .map(({ id }) => id)
      await apiKeys.markUsed(ids.map((id) => ({ id, at: new Date() })))
      await rotateApiKey(ids.at(-1) ?? '', 1e6)
      for (const id of ids) await revokeApiKey(id)
    })
    await source.addPets([], {
      from: unfinished,
      to: { ...unfinished, state: 'finished', changedAt: new Date(9) },
    })
    await copyDatabase(source, target)
    expect(await target.readApiKeys()).toEqual(await source.readApiKeys())
    expect(await target.readPetImports()).toEqual(await source.readPetImports())
    expect(await contents(to)).toEqual(await contents(from))
    expect(await createKeyed(to, 'New', now)).toEqual({ pet, isReplay: true })
    const { pet: added } = await createKeyed(to, 'After', now + IDEMPOTENCY_KEY_LIFETIME_MS)
    expect(added.id).toBeGreaterThan(pet.id)
  },
)

describe('pet-store copy', () => {
  it('copy prints both databases, masked, and what they hold', async () => {
    await fill(`sqlite:${folder}/a.db`)
    const target = await DATABASES.PostgreSQL()
    const password = new URL(target)
    password.password = 'secret'
    const program = runProgram(`copy --from sqlite:a.db --to ${password.href}`, folder)
    expect(await program.ended).toBe(0)
    const { stdout, stderr } = program.output
    const { username, host, pathname } = password
    const masked = `postgres(ql)?://${username}:\\*\\*\\*@${host}${pathname}`
    expect(stdout).toMatch(
      new RegExp(
        `^sqlite:a.db and ${masked} both hold 3 pets and 3 API keys. SHA-256 of the pets: ` +
          '[0-9a-f]{64}\n$',
      ),
    )
    expect(withoutProgress(stderr)).toBe('')
    expect(
      JSON.parse((await runHere('copy --from sqlite:a.db --to sqlite:b.db --json', folder)).stdout),
    ).toMatchObject({
      from: 'sqlite:a.db',
      to: 'sqlite:b.db',
      pets: 3,
      apiKeys: 3,
    })
  })

  it.each([
    ['copy --from sqlite:a.db --to sqlite:a.db', 2, '--from and --to name the same database.'],
    [
      'copy --from sqlite:typo.db --to sqlite:b.db',
      1,
      'Cannot open the SQLite database "typo.db": there is no such file.',
    ],
    [
      'copy --from mysql://root:secret@host/db --to sqlite:b.db',
      2,
      'The URL of a database must be sqlite: and the path of a file, or postgres:',
    ],
  ])(
    'pet-store %s ends with exit code %i, a sentence and no file',
    async (command, exitCode, sentence) => {
      const { code, stdout, stderr } = await runHere(command, folder)
      expect(stderr).toContain(sentence)
      expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' })
      expect(stderr).not.toContain('secret')
      expect(await readdir(folder)).toEqual([])
    },
  )

  it('copy notices the same file under another spelling, a symbolic and a hard link', async () => {
    await fill(`sqlite:${folder}/a.db`)
    await symlink('a.db', join(folder, 'link.db'))
    await link(join(folder, 'a.db'), join(folder, 'hard.db'))
    for (const to of ['./a.db', join(folder, 'a.db'), 'link.db', 'hard.db']) {
      expect(await runHere(`copy --from sqlite:a.db --to sqlite:${to}`, folder)).toEqual({
        code: 2,
        stdout: '',
        stderr: '--from and --to name the same database.\n',
      })
    }
  })

  it('copy notices the same PostgreSQL database under another name of its host', async () => {
    const url = await DATABASES.PostgreSQL()
    await fill(url)
    const other = new URL(url)
    other.hostname = other.hostname === 'localhost' ? '127.0.0.1' : 'localhost'
    const { code, stdout, stderr } = await runHere(`copy --from ${url} --to ${other}`, folder)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe('--from and --to name the same database.\n')
  })
})
