import { spawnSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createApiKeyText } from '@pet-store/access'
import { type RunningProgram, temporaryFolder, waitForOutput } from '@pet-store/testing'
import pg from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import { runHere } from '../../testing/run-command.test-support.ts'
import { ENVIRONMENT, PROGRAM, runProgram } from '../../testing/run-program.test-support.ts'
import { DATABASES, KINDS } from '../../transfer/testing/databases.test-support.ts'

const running: RunningProgram[] = []
afterEach(async () => {
  for (const { process, ended } of running.splice(0)) {
    process.kill('SIGTERM')
    await ended
  }
})

interface Installation {
  readonly folder: string
  readonly settings: Record<string, string>
}

async function serve({
  folder,
  settings,
}: Installation): Promise<{ program: RunningProgram; address: string }> {
  const program = runProgram('serve', folder, { LOG_LEVEL: 'trace', ...settings })
  running.push(program)
  return { program, address: await waitForOutput(program, /"address":"([^"]+)"/) }
}

const run = (command: string, { folder, settings }: Installation) =>
  runHere(command, folder, settings)

async function makeKey(
  command: string,
  installation: Installation,
): Promise<{ id: string; key: string }> {
  const { stdout, stderr } = await run(`${command} --json`, installation)
  expect(stderr).toBe('')
  return JSON.parse(stdout) as { id: string; key: string }
}

function ask(address: string, key: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${address}/pets`, {
    ...init,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
  })
}

const status = async (address: string, key: string) => (await ask(address, key)).status

/** Waits until the instance has looked the key up again. */
async function untilRejected(address: string, key: string): Promise<void> {
  while ((await status(address, key)) !== 401)
    await new Promise((resolve) => setTimeout(resolve, 50))
}

describe.each(KINDS)('Keys on %s', (kind) => {
  const create = async () => ({
    DATABASE_URL: kind === 'SQLite' ? 'sqlite:data/pets.db' : await DATABASES[kind](),
  })

  it('keys are created, used, rotated and revoked while two instances run', async () => {
    const installation = {
      folder: await temporaryFolder(),
      settings: { API_KEY_CACHE_SECONDS: '1', ...(await create()) },
    }
    const one = await serve(installation)
    const other = await serve(installation)
    const first = await makeKey('keys create --name kiosk --expires 90d --by Ada', installation)
    for (const { address } of [one, other]) expect(await status(address, first.key)).toBe(200)

    const second = await makeKey(`keys rotate ${first.id} --overlap 1h --by Bob`, installation)
    for (const { key } of [first, second]) expect(await status(other.address, key)).toBe(200)

    await run(`keys revoke ${first.id} --by Eve`, installation)
    for (const { address } of [one, other]) await untilRejected(address, first.key)
    for (const { address } of [one, other]) expect(await status(address, second.key)).toBe(200)

    // At the end each instance stores the last uses of keys, and logs the last changes.
    one.program.process.kill('SIGTERM')
    await one.program.ended
    const changes = one.program.output.stdout
      .split('\n')
      .filter((line) => line.includes('"msg":"API key '))
    const logged = { level: 30, name: 'kiosk', at: expect.stringMatching(/Z$/) as string }
    expect(changes.map((line) => JSON.parse(line) as object)).toMatchObject([
      { msg: 'API key created', keyId: first.id, by: 'Ada', ...logged },
      { msg: 'API key rotated', keyId: first.id, by: 'Bob', replacedBy: second.id, ...logged },
      { msg: 'API key revoked', keyId: first.id, by: 'Eve', ...logged },
    ])
    const { stdout } = await run('keys list', installation)
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(
        /^ID +NAME +SCOPES +STATE +CREATED +EXPIRES +LAST USED +ROTATED +REVOKED$/,
      ),
      expect.stringMatching(
        new RegExp(
          `^${first.id}  kiosk  pets:read pets:write  revoked .*Z by Ada .*Z by Bob to ` +
            `${second.id} .*Z by Eve$`,
        ),
      ),
      expect.stringMatching(
        new RegExp(
          `^${second.id}  kiosk  pets:read pets:write  active  ` +
            '.*Z by Bob( +\\d{4}-\\S+ \\S+Z){2} +- +-$',
        ),
      ),
      '',
    ])
  })

  it('keys allow what their scopes say, and are in no database, log or process list', async () => {
    const installation = { folder: await temporaryFolder(), settings: await create() }
    const { program, address } = await serve(installation)
    const { id, key } = await makeKey('keys create --name kiosk --scope pets:read', installation)
    const unknown = createApiKeyText()
    const adding = await ask(address, key, {
      method: 'POST',
      body: '{"name":"Rex","categoryId":1}',
    })
    expect(adding.status).toBe(403)
    const responses = [
      await ask(address, key),
      adding,
      await ask(address, unknown),
      await ask(address, `${key}x`),
    ]
    await waitForOutput(program, new RegExp(`"keyId":"${id}"`))
    const seen = [
      program.output,
      await dump(installation),
      program.process.spawnargs,
      await Promise.all(
        responses.map(async (response) => [...response.headers, await response.text()]),
      ),
    ]
    expect(JSON.stringify(seen)).toContain(id)
    for (const text of [key, unknown]) expect(JSON.stringify(seen)).not.toContain(text.slice(5, 30))
  })
})

/** Everything that the database holds, for SQLite, or what it holds of keys. */
async function dump({ folder, settings }: Installation): Promise<string> {
  if (settings['DATABASE_URL']?.startsWith('sqlite:')) {
    const files = await readdir(join(folder, 'data'))
    return (
      await Promise.all(files.map((file) => readFile(join(folder, 'data', file), 'latin1')))
    ).join('')
  }
  const client = new pg.Client({ connectionString: settings['DATABASE_URL'] })
  await client.connect()
  const { rows } = await client.query('select * from api_key')
  await client.end()
  return JSON.stringify(rows)
}

describe('pet-store keys create', () => {
  it('keys create writes only the key to standard output', async () => {
    const installation = { folder: await temporaryFolder(), settings: {} }
    const { code, stdout, stderr } = await run(
      'keys create --name kiosk --scope pets:read pets:write',
      installation,
    )
    expect(code).toBe(0)
    expect(stdout).toMatch(/^pets_[0-9A-Za-z]{49}\n$/)
    expect(stderr).toMatch(
      /^\S.* created the key key_\w+ for kiosk: pets:read pets:write, never expires\.\nIt is /,
    )
    expect(stderr).not.toContain(stdout.trim())
  })

  it.each([
    // An empty name.
    ['keys create --name ', 'The name of a key must have'],
    ['keys create --name kiosk --by \u0007', 'The name of who creates a key must have'],
    [
      'keys create --name kiosk --expires soon',
      'It must be a number of at most six digits and a unit: s, m, h or d, such as 90d.',
    ],
    [
      'keys create --name kiosk --expires 0s',
      "argument '0s' is invalid. It must be longer than 0.",
    ],
  ])(
    'pet-store %s ends with exit code 2 and a sentence, and creates no database',
    async (command, sentence) => {
      const installation = { folder: await temporaryFolder(), settings: {} }
      const outcome = await run(command, installation)
      expect(outcome).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(sentence) as string,
      })
      expect(await readdir(installation.folder)).toEqual([])
    },
  )

  it.each(['keys revoke key_nobody', 'keys rotate key_nobody'])(
    'pet-store %s ends with exit code 1, because there is no such key',
    async (command) => {
      const installation = { folder: await temporaryFolder(), settings: {} }
      await run('migrate', installation)
      expect(await run(command, installation)).toEqual({
        code: 1,
        stdout: '',
        stderr: 'There is no key "key_nobody". pet-store keys list shows the id of each.\n',
      })
    },
  )
})

it('keys create names the database file that it creates, and no other', async () => {
  const folder = await temporaryFolder()
  const create = () => runHere('keys create --name kiosk', folder, { DATABASE_URL: 'sqlite:a.db' })
  expect((await create()).stderr).toContain(`There was no database ${join(folder, 'a.db')}, so`)
  expect((await create()).stderr).not.toContain('There was no database')
})

it('keys are administered while a replica of PostgreSQL is down', async () => {
  const settings = {
    DATABASE_URL: await DATABASES.PostgreSQL(),
    DATABASE_REPLICA_URLS: 'postgres://127.0.0.1:1/pets',
  }
  const installation = { folder: await temporaryFolder(), settings }
  const { id } = await makeKey('keys create --name kiosk', installation)
  expect(await run(`keys revoke ${id}`, installation)).toMatchObject({ code: 0, stderr: '' })
})

it('a new key that cannot be written is named, so that it can be revoked', async () => {
  const installation = { folder: await temporaryFolder(), settings: {} }
  const line = '"$0" "$1" keys create --name kiosk > /dev/full'
  const options = { cwd: installation.folder, env: ENVIRONMENT, encoding: 'utf8' } as const
  const { status, stderr } = spawnSync('sh', ['-c', line, process.execPath, PROGRAM], options)
  expect(status).toBe(1)
  const [, id = ''] = /revoke it: pet-store keys revoke (key_\w+)\n$/.exec(stderr) ?? []
  expect(await run(`keys revoke ${id}`, installation)).toMatchObject({ code: 0 })
})

it('no key is created when standard output is closed, or when nobody reads it', async () => {
  const folder = await temporaryFolder()
  for (const output of ['>&-', '> /dev/null']) {
    const line = `"$0" "$1" keys create --name kiosk ${output}`
    const options = { cwd: folder, env: ENVIRONMENT, encoding: 'utf8' } as const
    const { status, stderr } = spawnSync('sh', ['-c', line, process.execPath, PROGRAM], options)
    expect(stderr).toMatch(/^Standard output is closed, so nobody would see the key\. /)
    expect(status).toBe(1)
  }
  expect(await readdir(folder)).toEqual([])
})

describe('pet-store keys revoke', () => {
  it('keys revoke takes a leaked key itself, and prints JSON for scripts', async () => {
    const installation = { folder: await temporaryFolder(), settings: {} }
    const { id, key } = await makeKey('keys create --name kiosk', installation)
    const { code, stdout } = await run(`keys revoke ${key} --json`, installation)
    expect([code, JSON.parse(stdout)]).toEqual([0, { id, effectiveWithinSeconds: 5 }])
    expect((await run('keys list', installation)).stdout).toMatch(
      new RegExp(`^${id} .* revoked `, 'm'),
    )
    const unknown = await run(`keys revoke ${createApiKeyText()}`, installation)
    expect(unknown).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The database does not contain this key.\n',
    })
  })
})

it('RATE_LIMIT is shared by the instances of one PostgreSQL database', async () => {
  const settings = { RATE_LIMIT: '10/1d', DATABASE_URL: await DATABASES.PostgreSQL() }
  const installation = { folder: await temporaryFolder(), settings }
  const instances = [await serve(installation), await serve(installation)]
  const { key } = await makeKey('keys create --name kiosk', installation)
  const statuses = await Promise.all(
    Array.from({ length: 30 }, async (_, index) =>
      status(instances[index % 2]?.address ?? '', key),
    ),
  )
  expect(statuses.filter((code) => code === 200)).toHaveLength(10)
  expect(statuses.filter((code) => code === 429)).toHaveLength(20)
})
