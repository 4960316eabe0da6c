import { writeFile } from 'node:fs/promises'
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
  it('serve applies its settings: keys, proxies, idle time, origins and public URL', async () => {
    const key = createApiKeyText()
    const named = createApiKeyText()
    const other = createApiKeyText()
    const program = runProgram('serve', await temporaryFolder(), {
      API_KEYS_SHA256: `${hashApiKey(key)}, shop=${hashApiKey(named).toUpperCase()}`,
      PUBLIC_URL: 'https://pets.example/shop',
      CORS_ORIGINS: 'https://shop.example',
      TRUST_PROXY: '1',
      KEEP_ALIVE_TIMEOUT: '620s',
    })
    running.push(program)
    const address = await waitForOutput(program, /"address":"([^"]+)"/)
    const headers = {
      'Content-Type': 'application/json',
      Origin: 'https://shop.example',
      'X-Forwarded-For': '203.0.113.9',
    }
    const addWith = (text: string) =>
      fetch(`${address}/pets`, {
        method: 'POST',
        headers: { ...headers, Authorization: `Bearer ${text}` },
        body: '{"name":"Rex","categoryId":1}',
      })
    const added = await addWith(key)
    expect(added.status).toBe(201)
    expect(added.headers.get('location')).toBe('https://pets.example/shop/v1/pets/1')
    expect(added.headers.get('access-control-allow-origin')).toBe('https://shop.example')
    expect(added.headers.get('keep-alive')).toBe('timeout=620')
    expect(added.headers.get('strict-transport-security')).toBe('max-age=31536000')
    expect((await addWith(named)).status).toBe(201)
    expect((await addWith(other)).status).toBe(401)
    expect((await addWith(hashApiKey(key))).status).toBe(401)
    await waitForOutput(program, /"clientAddress":"203\.0\.113\.9"/)
    await waitForOutput(program, /"keyId":"shop"/)
    for (const text of [key, named, other])
      expect(JSON.stringify(program.output)).not.toContain(text)
  })

  it('serve says what it serves, what is misspelt, and that there is no key', async () => {
    const program = runProgram('serve', await temporaryFolder(), { DATABASE_ULR: 'sqlite:mine.db' })
    running.push(program)
    const line = await waitForOutput(program, /(\{.*"msg":"serving"\})\n/)
    expect(JSON.parse(line)).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string,
      adapter: 'sqlite',
      database: 'sqlite:./data/pet-store.db',
    })
    await waitForOutput(
      program,
      /"msg":"there is no API key yet; create one with: pet-store keys create --name NAME, or /,
    )
    expect(program.output.stderr).toBe(
      'DATABASE_ULR is not a setting and is ignored. Did you mean DATABASE_URL?\n',
    )
  })

  it('serve reads settings from .env, with the environment taking precedence', async () => {
    const folder = await temporaryFolder()
    await writeFile(`${folder}/.env`, 'LOG_LEVEL=loud\nHOST=nowhere.invalid\n')
    const program = runProgram('start', folder, { LOG_LEVEL: 'info' })

    expect(await program.ended).toBe(2)
    expect(program.output.stderr).toMatch(/^HOST must be .*"nowhere\.invalid"/)
    expect(program.output.stderr).not.toContain('LOG_LEVEL')
  })

  it('serve ends with exit code 2 if the URL of an SQLite file is invalid', async () => {
    const settings = { DATABASE_URL: 'sqlite:pets.db?mode=ro' }
    const program = runProgram('serve', await temporaryFolder(), settings)

    expect(await program.ended).toBe(2)
    expect(program.output.stderr).toMatch(/^An SQLite URL must have no parameters, .*mode=ro"\.$/m)
  })

  it('serve loses no acknowledged pet when it is killed', async () => {
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
