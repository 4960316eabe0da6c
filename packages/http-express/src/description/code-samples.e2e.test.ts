import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished } from 'vitest'
import { openApiJson } from '../routes/description-route.ts'
import { API_KEY, it } from '../testing/start-test-server.test-support.ts'
import { type CodeSample, codeSamples } from './code-samples.ts'

const run = promisify(execFile)
/** A folder in which the TypeScript samples can import the client. */
const WITH_CLIENT = join(import.meta.dirname, '../../../pages')
/** The command that runs a sample of each language. */
const RUN: Readonly<Record<string, (source: string) => readonly [string, ...string[]]>> = {
  shell: (source) => ['sh', '-c', source],
  typescript: (source) => [
    process.execPath,
    '--conditions=@pet-store/source',
    '--input-type=module-typescript',
    '--eval',
    source,
  ],
  python: (source) => ['python3', '-c', source],
  go: (source) => {
    const folder = mkdtempSync(join(tmpdir(), 'go-sample-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'main.go'), source)
    return ['go', 'run', join(folder, 'main.go')]
  },
}

interface Sampled {
  readonly operationId: string
  readonly responses: Readonly<Record<string, { readonly content?: object }>>
  readonly 'x-codeSamples': readonly CodeSample[]
}

const { paths }: { readonly paths: Record<string, Record<string, Sampled>> } = JSON.parse(
  await openApiJson(),
)
const SAMPLES = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(
    ([method, { operationId, responses, 'x-codeSamples': samples }]) => {
      const [status = '', success] =
        Object.entries(responses).find(([code]) => code.startsWith('2')) ?? []
      const sent = { method: method.toUpperCase(), route: `/v1${path}`, status: Number(status) }
      return samples.map((sample) => ({
        ...sample,
        operationId,
        sent,
        hasBody: success?.content !== undefined,
      }))
    },
  ),
)

it.for(SAMPLES)(
  'the $lang sample of $operationId works',
  async ({ lang, source, sent, hasBody }, { server, skip }) => {
    await server.post('{"name":"Tom","categoryId":8}')
    server.log.requests.length = 0
    const env = { ...process.env, BASE_URL: `${server.url}/v1`, API_KEY }
    const [command, ...args] = RUN[lang]?.(source) ?? ['']
    const { stdout } = await run(command, args, { env, cwd: WITH_CLIENT }).catch(
      (error: NodeJS.ErrnoException & { stdout: string }) => {
        // EACCES: a folder of PATH is closed to this user.
        if (error.code === 'ENOENT' || error.code === 'EACCES') skip(`needs ${command}`)
        throw error
      },
    )
    await expect.poll(() => server.log.requests).toMatchObject([sent])
    if (hasBody) expect(stdout).toMatch(/Tom|Rex/)
  },
)

it('the TypeScript sample passes the id of the path, and then the body, to the client', () => {
  const body = { status: 'sold' }
  const operation = { operationId: 'changePet', method: 'patch', path: '/pets/{petId}', body }
  const sample = codeSamples(operation).find(({ lang }) => lang === 'typescript')
  expect(sample?.source).toContain('client.changePet(1n, {"status":"sold"})')
})

it('the Go samples are complete programs', () => {
  for (const { source } of SAMPLES.filter(({ lang }) => lang === 'go')) {
    const [, imports = '', main = ''] =
      /^package main\n\nimport \(\n(.*?)\n\)\n(.*)$/s.exec(source) ?? []
    // Go rejects an unused import, and a name that is not imported.
    const imported = imports.split('\n').map((line) => /(\w+)"$/.exec(line)?.[1])
    const used = [...main.matchAll(/(?<![\w.])([a-z]+)\.[A-Z]/g)].map(([, name]) => name)
    const variables = ['request', 'response']
    expect(new Set(imported)).toEqual(
      new Set(used.filter((name = '') => !variables.includes(name))),
    )
  }
})
