import { chmod, writeFile } from 'node:fs/promises'
import { temporaryFolder } from '@pet-store/testing'
import { describe, expect, it } from 'vitest'
import { SETTING_LIST } from '../settings/settings.ts'
import { runHere } from '../testing/run-command.test-support.ts'

const SETTINGS_OF_THE_TEST = {
  PORT: '8080',
  DATABASE_URL: 'postgres://pets:secret@db/pets?password=secret',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://me:secret@collector:4318',
  DATABASE_REPLICA_URLS: 'postgres://pets:secret@r1/pets, postgres://pets:secret@r2/pets',
}

describe('pet-store config', () => {
  it('config shows every setting, where it comes from, and no secret, even as JSON', async () => {
    const folder = await temporaryFolder()
    await writeFile(`${folder}/keys`, `shop=${'ab'.repeat(32)}\n`)
    const settings = { ...SETTINGS_OF_THE_TEST, API_KEYS_SHA256_FILE: 'keys' }
    const { code, stdout } = await runHere('config', folder, settings)
    expect(code).toBe(0)
    const rows = stdout.trimEnd().split('\n')
    expect(rows).toHaveLength(SETTING_LIST.length + 1)
    expect(rows.map((row) => row.replace(/ {2,}/g, ' | '))).toEqual(
      expect.arrayContaining([
        'VARIABLE | VALUE | FROM',
        'PORT | 8080 | environment',
        'METRICS_PORT | - | default',
        'DATABASE_URL | postgres://pets:***@db/pets?*** | environment',
        'DATABASE_REPLICA_URLS | postgres://pets:***@r1/pets, postgres://pets:***@r2/pets | ' +
          'environment',
        'OTEL_EXPORTER_OTLP_ENDPOINT | http://***@collector:4318 | environment',
        'API_KEYS_SHA256 | *** | file',
      ]),
    )

    const json = await runHere('config --json', folder, settings)
    const shown = JSON.parse(json.stdout) as Record<string, unknown>
    expect(Object.keys(shown)).toEqual(SETTING_LIST.map(({ variable }) => variable))
    expect(shown).toMatchObject({ METRICS_PORT: { value: '', from: 'default' } })
    expect(JSON.stringify([stdout, json])).not.toMatch(/secret@|=secret|abab/)
  })

  it('config reads .env with a byte order mark, and names one that it may not read', async () => {
    const folder = await temporaryFolder()
    await writeFile(`${folder}/.env`, '\ufeffMETRICS_PORT=9464\r\nHOST=::1\r\nLOG_LEVEL=\r\n')
    const { stdout, stderr } = await runHere('config', folder, { HOST: '::' })
    expect(stderr).toBe('')
    expect(stdout).toMatch(
      /^HOST +:: +environment\nREUSE_PORT +false +default\nMETRICS_PORT +9464 +\.env$/m,
    )
    await chmod(`${folder}/.env`, 0o000)
    await chmod(folder, 0o755)
    const sentence = "EACCES: permission denied, open '.env'\n"
    expect(await runHere('config', folder, {}, { asOrdinaryUser: true })).toEqual({
      code: 1,
      stdout: '',
      stderr: sentence,
    })
  })

  it('config says that .env is not UTF-8, instead of ignoring it', async () => {
    const folder = await temporaryFolder()
    await writeFile(`${folder}/.env`, Buffer.from('\ufeffPORT=8080\r\n', 'utf16le'))
    expect(await runHere('config', folder)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The file .env is not UTF-8. Save it as UTF-8.\n',
    })
  })

  it.each([
    ['PORT: 8080', '":"'],
    ['  export PORT 8080', 'a space'],
  ])('config says that a line of .env sets nothing: %s', async (line, found) => {
    const folder = await temporaryFolder()
    const others = `# PORT: 1\nHOST = ::1\nLOG_LEVEL='A b'\nOTHERS="one\nTWO: 2\nTHREE 3"\n`
    await writeFile(`${folder}/.env`, `${others}${line}\n`)
    expect(await runHere('config', folder)).toEqual({
      code: 1,
      stdout: '',
      stderr: `In the file .env, PORT is followed by ${found} instead of "=".\n`,
    })
  })

  it('config names invalid settings as every command does, and shows them too', async () => {
    const settings = { PORT: 'x', API_KEYS_SHA256_FILE: 'nowhere' }
    const { code, stdout, stderr } = await runHere('config', await temporaryFolder(), settings)
    expect(code).toBe(2)
    expect(stdout).toMatch(/^PORT +x +environment$/m)
    expect(stdout).toMatch(/^HOST +127\.0\.0\.1 +default$/m)
    expect(stdout).toMatch(/^API_KEYS_SHA256 +\(cannot be read\) +file$/m)
    expect(stderr).toBe(
      'PORT must be an integer from 0 to 65535, got "x"\n' +
        "API_KEYS_SHA256_FILE cannot be read: ENOENT: no such file or directory, open 'nowhere'\n",
    )
  })
})
