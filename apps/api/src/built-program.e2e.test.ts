import { temporaryFolder, waitForOutput } from '@pet-store/testing'
import { createDatabase } from '@pet-store/testing-postgres'
import type {} from '@pet-store/testing-postgres/vitest-global-setup'
import { describe, expect, inject, it } from 'vitest'
import { curl } from './testing/curl.test-support.ts'
import { PROGRAM, runProgram, runStart } from './testing/run-program.test-support.ts'
import { startCollector, treeOf } from './testing/trace-collector.test-support.ts'

// What a user gets is the built program, with its packages resolved as Node resolves them: no source, no conditions.
describe('the built program', () => {
  it.each(['SQLite', 'PostgreSQL'])('serves, and adds a pet on %s', async (kind) => {
    const database = kind === 'PostgreSQL' ? await createDatabase(inject('postgresUrl')) : undefined
    const settings = database === undefined ? {} : { DATABASE_URL: database.url }
    const { program, address, key } = await runStart(await temporaryFolder(), settings)
    const added = await curl(
      `curl -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"name":"Rex","categoryId":1}' ${address}/pets`,
    )
    const listed = await curl(`curl -H 'Authorization: Bearer ${key}' ${address}/pets`)
    program.process.kill('SIGTERM')

    expect(added.body).toBe('{"id":1,"name":"Rex","categoryId":1}')
    expect(listed.body).toBe(`[${added.body}]`)
    expect(await program.ended).toBe(0)
    await database?.drop()
  })

  it('traces a request from HTTP to persistence, and counts it', async () => {
    const { url, spans } = await startCollector()
    const { program, address, key } = await runStart(await temporaryFolder(), {
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      METRICS_PORT: '0',
    })
    await curl(`curl -H 'Authorization: Bearer ${key}' ${address}/pets`)
    const metrics = await waitForOutput(program, /"address":"([^"]+\/metrics)"/)
    expect(await (await fetch(metrics)).text()).toContain(
      'pet_store_persistence_duration_seconds_count{operation="list"} 1\n',
    )
    program.process.kill('SIGTERM')
    expect(await program.ended).toBe(0)

    const root = spans.find(({ parentSpanId }) => parentSpanId === undefined)
    if (root === undefined) throw new Error(JSON.stringify(spans))
    expect(treeOf(spans, root)).toEqual(['GET /v1/pets', ['listPets', ['PetRepository.list']]])
  })

  it('finds the files of its pages', async () => {
    const { program, address } = await runStart(await temporaryFolder(), {})
    const docs = address.replace(/v1$/, 'docs')
    const page = await (await fetch(docs)).text()
    const loaded = [...page.matchAll(/(?:href|src)="(docs\/[^"]+)"/g)].map(([, reference = '']) => reference)
    const statuses = await Promise.all(loaded.map(async (reference) => (await fetch(new URL(reference, docs))).status))
    program.process.kill('SIGTERM')

    expect(loaded).toContainEqual(expect.stringMatching(/reference\.css$/))
    expect(statuses).toEqual(loaded.map(() => 200))
    expect(await program.ended).toBe(0)
  })

  it('ends with exit code 2 and a hint for an unknown command', async () => {
    const program = runProgram('sevre', await temporaryFolder(), {})

    expect(await program.ended).toBe(2)
    expect(program.output.stderr).toContain("unknown command 'sevre'")
  })

  it('says in one sentence that Node is too old', async () => {
    const old = "data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '20.20.2' })"
    const program = runProgram('start', await temporaryFolder(), {}, ['--import', old, PROGRAM])

    expect(await program.ended).toBe(1)
    expect(program.output.stderr).toBe('Pet store needs Node 22.18, 24.11, or 26 and newer; this is Node 20.20.2.\n')
  })
})
