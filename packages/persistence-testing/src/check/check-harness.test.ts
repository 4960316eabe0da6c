import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { aNewPet } from '../test-data/new-pets.ts'
import openFilePersistence from '../testing/file-adapter/open-persistence.test-support.ts'
import { assertEmpty, createHarness, WrongUse } from './check-harness.ts'

const folder = mkdtempSync(join(tmpdir(), 'pet-store-'))
afterAll(() => rmSync(folder, { recursive: true }))

it.each([
  [{}, 'Name an empty database with --url.'],
  [{ url: 'x' }, 'Name the persistence module with --module.'],
  [{ url: 'x', module: './none.mjs' }, './none.mjs cannot be imported:\nCannot find module'],
  [{ url: 'x', module: 'none/x.js' }, '. A path must begin with . or /.'],
  [
    { url: 'x', module: `${folder}/throws.mjs` },
    '/throws.mjs cannot be imported:\nError: no disk\n',
  ],
  [{ harness: './none.mjs' }, 'Cannot find module'],
  [{ harness: `${folder}/none.mjs` }, 'none.mjs makes must be an object'],
  [{ harness: `${folder}/random.mjs` }, 'Use --random-calls and --seed instead of randomCalls'],
])('createHarness finds wrong use in %j', async (options, message) => {
  writeFileSync(join(folder, 'throws.mjs'), "throw new Error('no disk')")
  writeFileSync(join(folder, 'none.mjs'), 'export default () => {}')
  writeFileSync(join(folder, 'random.mjs'), 'export default () => ({ randomCalls: {} })')
  const error: unknown = await createHarness(options).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(WrongUse)
  expect(String(error)).toContain(message)
})

it('createHarness says where a harness fails', async () => {
  const harness = join(folder, 'fails.mjs')
  writeFileSync(harness, "export default () => { throw new Error('no server') }")
  const made = createHarness({ harness })
  const where = /fails[.]mjs made no harness:\nError: no server\n +at .*[/]fails[.]mjs:1:/
  await expect(made).rejects.toThrow(where)
  await expect(made).rejects.not.toBeInstanceOf(WrongUse)
})

it('createHarness takes an instance of a class, whose members are called on it', async () => {
  const harness = join(folder, 'class.mjs')
  writeFileSync(
    harness,
    `class Harness {
      #databases = 0
      concurrent = true
      async open() {}
      async emptyDatabase() { return String(++this.#databases) }
    }
    export default () => new Harness()`,
  )
  const made = await createHarness({ harness })
  const { emptyDatabase } = made
  expect([await emptyDatabase(), await emptyDatabase(), made.concurrent]).toEqual(['1', '2', true])
})

it('assertEmpty rejects a database that has pets', async () => {
  const url = `file:${folder}/full`
  await (await openFilePersistence({ url, mode: 'migrate' })).pets.add(aNewPet())
  const harness = { open: openFilePersistence, emptyDatabase: async () => '' }
  await expect(assertEmpty(harness, { url })).rejects.toThrow(WrongUse)
})

it.each([
  [{}, 'in --url where the number must be'],
  [{ harness: './harness.js' }, 'emptyDatabase of ./harness.js must make an empty one'],
])(
  'assertEmpty rejects a database that several cases would use, with %j',
  async (options, rule) => {
    const url = `file:${folder}/${rule.length}`
    const harness = { open: openFilePersistence, emptyDatabase: async () => url }
    const checked = assertEmpty(harness, options)
    await expect(checked).rejects.toThrow(WrongUse)
    await expect(checked).rejects.toThrow(rule)
    await expect(checked).rejects.toThrow("name: 'Rex'")
  },
)

it('assertEmpty leaves what else is wrong to the cases', async () => {
  const open = () => Promise.reject(new Error('no server'))
  await assertEmpty({ open, emptyDatabase: async () => '' }, {})
  const never = { open: openFilePersistence, emptyDatabase: () => new Promise<never>(() => {}) }
  await assertEmpty(never, { timeLimitSeconds: 0.05 })
})
