import { appendFile, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aNewPet, persistenceContract, petRepositoryContract } from '@pet-store/persistence-testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import openNdjsonPersistence from './ndjson-persistence.ts'

let folder: string
let places = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-store-'))
})
afterAll(() => rm(folder, { recursive: true }))

const emptyPlace = async () => join(folder, `${++places}.ndjson`)

describe('ndjson-persistence.ts', () => {
  for (const { name, timeLimitMs, run } of petRepositoryContract) {
    it(name, { timeout: timeLimitMs + 1000 }, async () => {
      const { pets, close } = await openNdjsonPersistence({ url: await emptyPlace() })
      try {
        await run(pets)
      } finally {
        await close()
      }
    })
  }

  const cases = persistenceContract({
    open: openNdjsonPersistence,
    emptyPlace,
    module: new URL('ndjson-persistence.ts', import.meta.url).href,
    nodeOptions: ['--conditions=@pet-store/source'],
  })
  for (const { name, timeLimitMs, run } of cases) {
    it(name, { timeout: timeLimitMs + 1000 }, async ({ skip }) => {
      const notShown = await run()
      skip(notShown !== undefined, notShown)
    })
  }

  it('ignores a line that a crash cut off', async () => {
    const url = await emptyPlace()
    const before = await openNdjsonPersistence({ url })
    const pet = await before.pets.add(aNewPet({ categoryId: 2n ** 63n - 1n, status: 'sold' }))
    await before.close()
    await appendFile(url, '{"id":"2","na')

    const after = await openNdjsonPersistence({ url })
    expect(await after.pets.list({ limit: 9 })).toStrictEqual([pet])
    await after.pets.add(aNewPet())
    await after.close()
    expect((await readFile(url, 'utf8')).match(/\n/g)).toHaveLength(2)
  })

  it('stores nothing for a request that was cancelled', async () => {
    const { pets, close } = await openNdjsonPersistence({ url: await emptyPlace() })
    const rejection = { code: 'persistence_unavailable', outcome: 'not_stored' }
    await expect(pets.add(aNewPet(), { aborted: true })).rejects.toMatchObject(rejection)
    expect(await pets.list({ limit: 9 })).toEqual([])
    await close()
  })

  it('rejects the check when its file was moved', async () => {
    const url = await emptyPlace()
    const { check, close } = await openNdjsonPersistence({ url })
    await check()
    await rename(url, `${url}.moved`)
    await expect(check()).rejects.toThrow('ENOENT')
    await openNdjsonPersistence({ url }).then((other) => other.close())
    await expect(check()).rejects.toThrow('was replaced by another file')
    await close()
  })
})
