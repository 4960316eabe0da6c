import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createApiKeyText, hashApiKey } from '@pet-store/access'
import { type RunningProgram, temporaryFolder, waitForOutput } from '@pet-store/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { runProgram, runStart } from '../testing/run-program.test-support.ts'

const running: RunningProgram[] = []

afterEach(async () => {
  for (const program of running.splice(0)) {
    program.process.kill('SIGKILL')
    await program.ended
  }
})

describe('pet-store serve', () => {
  async function serve(folder: string, keys: string) {
    const program = runProgram('serve', folder, { API_KEYS_SHA256: keys })
    running.push(program)
    return { program, address: await waitForOutput(program, /"address":"([^"]+)"/) }
  }

  it('accepts the keys whose hashes are in its settings, and no others', async () => {
    const [key, named, other] = [createApiKeyText(), createApiKeyText(), createApiKeyText()]
    const keys = `${hashApiKey(key)}, shop=${hashApiKey(named).toUpperCase()}`
    const { program, address } = await serve(await temporaryFolder(), keys)
    const statusWith = async (text: string) =>
      (await fetch(`${address}/pets`, { headers: { Authorization: `Bearer ${text}` } })).status

    expect(await statusWith(key)).toBe(200)
    expect(await statusWith(named)).toBe(200)
    expect(await statusWith(other)).toBe(401)
    expect(await statusWith(hashApiKey(key))).toBe(401)
    await waitForOutput(program, /"keyId":"shop"/)
    for (const text of [key, named, other]) expect(JSON.stringify(program.output)).not.toContain(text)
  })

  it('applies the settings about proxies, origins and its public URL', async () => {
    const key = createApiKeyText()
    const program = runProgram('serve', await temporaryFolder(), {
      API_KEYS_SHA256: hashApiKey(key),
      PUBLIC_URL: 'https://pets.example/shop',
      CORS_ORIGINS: 'https://shop.example',
      TRUST_PROXY: '1',
    })
    running.push(program)
    const address = await waitForOutput(program, /"address":"([^"]+)"/)
    const added = await fetch(`${address}/pets`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        Origin: 'https://shop.example',
        'X-Forwarded-For': '203.0.113.9',
      },
      body: '{"name":"Rex","categoryId":1}',
    })

    expect(added.headers.get('location')).toBe('https://pets.example/shop/v1/pets/1')
    expect(added.headers.get('access-control-allow-origin')).toBe('https://shop.example')
    expect(added.headers.get('strict-transport-security')).toBe('max-age=31536000')
    await waitForOutput(program, /"clientAddress":"203\.0\.113\.9"/)
  })

  it('says what it serves, which variable is misspelt, and how to create a key if there is none', async () => {
    const program = runProgram('serve', await temporaryFolder(), { DATABASE_ULR: 'sqlite:mine.db' })
    running.push(program)
    const line = await waitForOutput(program, /(\{.*"msg":"serving"\})\n/)
    expect(JSON.parse(line)).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string,
      adapter: 'sqlite',
      database: 'sqlite:./data/pet-store.db',
    })
    await waitForOutput(program, /"msg":"there is no API key yet; create one with: pet-store keys create --name NAME"/)
    expect(program.output.stderr).toBe('DATABASE_ULR is not a setting and is ignored. Did you mean DATABASE_URL?\n')
  })

  it('reads settings from .env, with the environment taking precedence', async () => {
    const folder = await temporaryFolder()
    await writeFile(`${folder}/.env`, 'LOG_LEVEL=loud\nHOST=nowhere.invalid\n')
    const program = runProgram('start', folder, { LOG_LEVEL: 'info' })

    expect(await program.ended).toBe(2)
    expect(program.output.stderr).toMatch(/^HOST must be .*"nowhere\.invalid"/)
    expect(program.output.stderr).not.toContain('LOG_LEVEL')
  })

  it('loses no acknowledged pet when it is killed', async () => {
    const folder = await temporaryFolder()
    const first = await runStart(folder, { LOG_LEVEL: 'error' })
    running.push(first.program)
    const headers = { Authorization: `Bearer ${first.key}`, 'Content-Type': 'application/json' }
    const acknowledged: string[] = []
    const writers = Array.from({ length: 8 }, async () => {
      for (;;) {
        const response = await fetch(`${first.address}/pets`, {
          method: 'POST',
          headers,
          body: '{"name":"Rex","categoryId":1}',
        })
        acknowledged.push(await response.text())
        if (acknowledged.length === 200) first.program.process.kill('SIGKILL')
      }
    })
    await Promise.allSettled(writers)
    const second = await runStart(folder)
    running.push(second.program)

    expect(acknowledged.length).toBeGreaterThanOrEqual(200)
    for (const text of acknowledged) {
      const id = /"id":([0-9]+)/.exec(text)?.[1]
      const found = await fetch(`${second.address}/pets/${id}`, { headers })
      expect(await found.text()).toBe(text)
    }
  })
})

describe('pet-store migrate', () => {
  it('migrates a database, lists its pending migrations with --check, and serve rejects an outdated one', async () => {
    const folder = await temporaryFolder()
    const settings = { DATABASE_URL: 'sqlite:pets.db', API_KEYS_SHA256: 'a'.repeat(64), MIGRATE_ON_START: 'false' }
    await writeFile(join(folder, 'pets.db'), '')
    const check = runProgram('migrate --check', folder, settings)
    expect(await check.ended).toBe(3)
    expect(check.output.stdout).toMatch(
      /^The database sqlite:pets\.db is empty: it was never migrated\.\nPending: 0001-create-schema/,
    )

    const rejected = runProgram('serve', folder, settings)
    expect(await rejected.ended).toBe(1)
    expect(rejected.output.stderr).toMatch(
      /^The SQLite database .* must be migrated first: it lacks 0001-create-schema/,
    )

    for (const done of [/^Done: 0001-create-schema/, /^The database is up to date\.\n$/]) {
      const migrated = runProgram('migrate', folder, settings)
      expect(await migrated.ended).toBe(0)
      expect(migrated.output.stdout).toMatch(done)
    }
    expect(await runProgram('migrate --check', folder, settings).ended).toBe(0)
    const program = runProgram('serve', folder, settings)
    running.push(program)
    await waitForOutput(program, /"address":"([^"]+)"/)
  })

  it('creates no database in commands that need an existing one', async () => {
    const folder = await temporaryFolder()
    for (const command of ['keys list', 'keys revoke x']) {
      const program = runProgram(command, folder)
      expect([command, await program.ended]).toEqual([command, 1])
      expect(program.output.stderr).toBe(
        'Cannot open the SQLite database "./data/pet-store.db": there is no such file.\n',
      )
    }
    expect(await readdir(folder)).toEqual([])
  })

  it('tells by the exit code of --check a missing database, pending migrations, and newer ones', async () => {
    const folder = await temporaryFolder()
    const settings = { DATABASE_URL: 'sqlite:pets.db' }
    const check = async (options = '') => {
      const { ended, output } = runProgram(`migrate --check${options}`, folder, settings)
      return [await ended, output.stdout]
    }
    expect(await check()).toEqual([
      3,
      expect.stringMatching(/^There is no database sqlite:pets\.db\.\nPending: 0001-/) as string,
    ])
    expect(await readdir(folder)).toEqual([])

    await runProgram('migrate', folder, settings).ended
    const change = (sql: string) => {
      const database = new DatabaseSync(join(folder, 'pets.db'))
      database.exec(sql)
      database.close()
    }
    change("insert into migration (name) values ('9999-add-breed')")
    expect(await check()).toEqual([0, 'The database is up to date.\nOf a newer version: 9999-add-breed\n'])
    change("delete from migration where name like '0001%'")
    expect(await check(' --json')).toEqual([
      1,
      `${JSON.stringify({ database: 'migrated', pending: ['0001-create-schema'], newer: ['9999-add-breed'] }, undefined, 2)}\n`,
    ])
  })
})
