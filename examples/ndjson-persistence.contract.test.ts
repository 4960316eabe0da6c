import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Persistence } from '@pet-store/persistence'
import { aNewPet, petRepositoryContract } from '@pet-store/persistence-testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import openNdjsonPersistence from './ndjson-persistence.ts'

let folder: string
let url: string
let persistence: Persistence

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-store-'))
  url = join(folder, 'pets.ndjson')
  persistence = await openNdjsonPersistence({ url })
})
afterEach(async () => {
  await persistence.close()
  await rm(folder, { recursive: true })
})

describe('A file of lines keeps the PetRepository promises', () => {
  for (const { name, run } of petRepositoryContract) {
    it(name, () => run(persistence.pets))
  }
})

describe('A file of lines', () => {
  it('holds the same pets and keys when it is opened again, without a line that a crash cut off', async () => {
    const key = { owner: 'shop', key: 'k', fingerprint: 'f', at: new Date(0) }
    const { pet } = await persistence.pets.addWithKey(aNewPet({ categoryId: 2n ** 63n - 1n, status: 'sold' }), key)
    await persistence.close()
    await appendFile(url, '{"id":"2","na')
    persistence = await openNdjsonPersistence({ url })

    expect(await persistence.pets.list({ limit: 9 })).toStrictEqual([pet])
    expect(await persistence.pets.addWithKey(aNewPet(), key)).toStrictEqual({ pet, isReplay: true })
    await persistence.pets.add(aNewPet())
    expect((await readFile(url, 'utf8')).match(/\n/g)).toHaveLength(2)
  })
})
