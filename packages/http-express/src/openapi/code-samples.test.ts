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
import type { RequestEntry } from '../middleware/open-request.ts'
import { openApiJson } from '../routes/description-route.ts'
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
  const requests: RequestEntry[] = []
  const log = {
    request: (entry: RequestEntry) => void requests.push(entry),
    internalError: (error: unknown) => console.error(error),
  }
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
  const { port } = server.address() as AddressInfo
  return { requests, env: { ...process.env, BASE_URL: `http://127.0.0.1:${port}/v1`, API_KEY: apiKey } }
}

interface Sampled {
  readonly operationId: string
  readonly responses: Readonly<Record<string, { readonly content?: object }>>
  readonly 'x-codeSamples': readonly CodeSample[]
}

const { paths }: { readonly paths: Record<string, Record<string, Sampled>> } = JSON.parse(await openApiJson())
const SAMPLES = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { operationId, responses, 'x-codeSamples': samples }]) => {
    const [status = '', success] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? []
    const sent = { method: method.toUpperCase(), route: `/v1${path}`, status: Number(status) }
    return samples.map((sample) => ({ ...sample, operationId, sent, hasBody: success?.content !== undefined }))
  }),
)

it.for(SAMPLES)('the $lang sample of $operationId works', async ({ lang, source, sent, hasBody }, context) => {
  const { requests, env } = await startService()
  const [command, ...args] = RUN[lang]?.(source) ?? ['']
  const { stdout } = await run(command, args, { env }).catch((error: NodeJS.ErrnoException & { stdout: string }) => {
    if (error.code === 'ENOENT') context.skip(`needs ${command}`)
    throw error
  })
  await expect.poll(() => requests).toMatchObject([sent])
  if (hasBody) expect(stdout).toMatch(/Tom|Rex/)
})

it('the Go samples are complete programs', () => {
  for (const { source } of SAMPLES.filter(({ lang }) => lang === 'go')) {
    const [, imports = '', main = ''] = /^package main\n\nimport \(\n(.*?)\n\)\n(.*)$/s.exec(source) ?? []
    // Go rejects an unused import, and a name that is not imported.
    const imported = imports.split('\n').map((line) => /(\w+)"$/.exec(line)?.[1])
    const used = [...main.matchAll(/(?<![\w.])([a-z]+)\.[A-Z]/g)].map(([, name]) => name)
    const variables = ['request', 'response']
    expect(new Set(imported)).toEqual(new Set(used.filter((name = '') => !variables.includes(name))))
  }
})
