import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const EXAMPLE = pathOf('../../../examples/persistence-adapter/src/ndjson-persistence.ts')
const PROGRAM = ['--conditions=@pet-store/source', pathOf('./bin.ts')]

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pet-store-adapter-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
})

interface Result {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function check(options: string): Promise<Result> {
  return new Promise((resolve) => {
    const program = [...PROGRAM, 'check', ...options.split(' ').filter(Boolean)]
    execFile(process.execPath, program, { cwd: folder, maxBuffer: 2 ** 24 }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
  })
}

describe('pet-store-adapter check', () => {
  it('shows the guarantees of a module that allows one process', async () => {
    const { code, stdout, stderr } = await check(`--module ${EXAMPLE} --url pets.ndjson`)
    expect(stdout).toMatch(/^RESULT +CAPABILITY +TIME +GUARANTEE\nshown +pets +\d+ ms {2}returns every field/)
    expect(stdout).toMatch(/^shown .*rejects a second opening/m)
    expect(stdout).toMatch(/^shown +durability .*kill -9/m)
    expect(stdout).toMatch(/\nContract \d+\.\d+\.\d+: \d+ guarantees shown, \d+ not shown, 0 broken, in [\d.]+ s\.\n$/)
    expect(stderr).toContain('0 of ')
    expect(code).toBe(0)
  })

  it('says which guarantees a module breaks, and that it does something outside of them', async () => {
    writeFileSync(
      join(folder, 'mine.mjs'),
      `import { createMemoryPets } from ${JSON.stringify(import.meta.resolve('@pet-store/domain/memory'))}
       Promise.reject(new Error('nobody waits for this'))
       export default async () => {
         const pets = createMemoryPets()
         return { pets: { ...pets, list: async (query) => (await pets.list(query)).toReversed() }, check() {}, close() {} }
       }`,
    )
    const { code, stdout, stderr } = await check('--module ./mine.mjs --url memory')
    expect(code).toBe(1)
    expect(stdout).toMatch(/\nBroken: lists by ascending id/)
    expect(stderr).toContain('Outside of any case: nobody waits for this')
  })

  it.each([
    ['--json', 'Name an empty place with --url.'],
    ['--url x', 'Name the persistence module with --module.'],
    ['--module ./none.mjs --url x', 'The persistence module "./none.mjs" cannot be loaded: Cannot find module'],
    ['--url x --harness full.db', 'Unknown file extension ".db"'],
    [
      '--module ./full.mjs --url x',
      'This place is not empty, and a check writes many pets. Name an empty one with --url.',
    ],
  ])('ends with 2 on wrong use: %s', async (options, message) => {
    writeFileSync(join(folder, 'full.db'), 'something')
    writeFileSync(
      join(folder, 'full.mjs'),
      `export default async () => ({
         pets: { add() {}, addWithKey() {}, find() {}, list: async () => [{ id: 1n, name: 'Rex', categoryId: 1n }] },
         check() {}, close() {},
       })`,
    )
    const { code, stderr } = await check(options)
    expect(stderr).toContain(message)
    expect(code).toBe(2)
  })
})
