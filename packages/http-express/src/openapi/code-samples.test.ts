import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createApiKeyText, createStaticKeys, hashApiKey } from '@pet-store/access'
import { createPetUseCases } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import { expect, it, onTestFinished } from 'vitest'
import { createPetApp } from '../app/create-pet-app.ts'
import { createPetServer } from '../server/create-pet-server.ts'
import type { CodeSample } from './code-samples.ts'

const run = promisify(execFile)
/** How a sample is run, where its language is installed. */
const RUN: Readonly<Record<string, (source: string) => readonly [string, ...string[]]>> = {
  shell: (source) => ['sh', '-c', source],
  typescript: (source) => [process.execPath, '--input-type=module-typescript', '--eval', source],
  python: (source) => ['python3', '-c', source],
  go: (source) => {
    const folder = mkdtempSync(join(tmpdir(), 'go-sample-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'main.go'), source)
    return ['go', 'run', join(folder, 'main.go')]
  },
}

/** A service with one pet, and how to call it. */
async function startService() {
  const log = { request: () => {}, internalError: (error: unknown) => console.error(error) }
  const apiKey = createApiKeyText()
  const { createPet, ...pets } = createPetUseCases(createMemoryPets())
  await createPet({ name: 'Tom', categoryId: 8n })
  const app = createPetApp({
    pets: { createPet, ...pets },
    tokenCheck: createStaticKeys([{ keyId: 'samples', sha256: hashApiKey(apiKey) }]),
    log,
    now: () => new Date('2027-01-01T00:00:00Z'),
    readiness: async () => ({}),
  })
  const server = createPetServer(app, log)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { origin, env: { ...process.env, BASE_URL: `${origin}/v1`, API_KEY: apiKey } }
}

async function samplesOf(origin: string, operation: string): Promise<readonly CodeSample[]> {
  const { paths } = (await (await fetch(`${origin}/openapi.json`)).json()) as {
    readonly paths: Record<string, Record<string, { operationId?: string; 'x-codeSamples': readonly CodeSample[] }>>
  }
  const found = Object.values(paths).flatMap((methods) => Object.values(methods))
  return found.find(({ operationId }) => operationId === operation)?.['x-codeSamples'] ?? []
}

const OPERATIONS = { listPets: /Tom/, createPet: /Rex/, getPet: /Tom/ }
const CASES = Object.entries(OPERATIONS).flatMap(([operation, shown]) =>
  Object.keys(RUN).map((lang) => ({ operation, lang, shown })),
)

it.for(CASES)('the $lang sample of $operation shows a pet', async ({ operation, lang, shown }, context) => {
  const { origin, env } = await startService()
  const [sample] = (await samplesOf(origin, operation)).filter((one) => one.lang === lang)
  const [command, ...args] = RUN[lang]?.(sample?.source ?? '') ?? ['']
  const { stdout } = await run(command, args, { env }).catch((error: NodeJS.ErrnoException & { stdout: string }) => {
    if (error.code === 'ENOENT') context.skip(`needs ${command}`)
    throw error
  })
  expect(stdout).toMatch(shown)
})

it('the Go samples are complete programs', async () => {
  const { origin } = await startService()
  for (const operation of Object.keys(OPERATIONS)) {
    const [go] = (await samplesOf(origin, operation)).filter(({ lang }) => lang === 'go')
    const [, imports = '', main = ''] = /^package main\n\nimport \(\n(.*?)\n\)\n(.*)$/s.exec(go?.source ?? '') ?? []
    // Go rejects an unused import, and a name that is not imported.
    const imported = imports.split('\n').map((line) => /(\w+)"$/.exec(line)?.[1])
    const used = [...main.matchAll(/(?<![\w.])([a-z]+)\.[A-Z]/g)].map(([, name]) => name)
    const variables = ['request', 'response']
    expect(new Set(imported)).toEqual(new Set(used.filter((name = '') => !variables.includes(name))))
  }
})
