import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aNewPet, petRepositoryContract, type Storage } from '@pet-store/domain-testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import openNdjsonStorage from './ndjson-storage.ts'

let folder: string
let url: string
let storage: Storage

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-store-'))
  url = join(folder, 'pets.ndjson')
  storage = await openNdjsonStorage({ url })
})
afterEach(async () => {
  await storage.close()
  await rm(folder, { recursive: true })
})

describe('A file of lines keeps the PetRepository promises', () => {
  for (const { name, run } of petRepositoryContract) {
    it(name, () => run(storage.pets))
  }
})

describe('A file of lines', () => {
  it('holds the same pets and keys when it is opened again, without a line that a crash cut off', async () => {
    const once = { owner: 'shop', key: 'k', fingerprint: 'f', at: new Date(0) }
    const added = await storage.pets.add(aNewPet({ categoryId: 2n ** 63n - 1n, status: 'sold' }), once)
    await storage.close()
    await appendFile(url, '{"id":"2","na')
    storage = await openNdjsonStorage({ url })

    expect(await storage.pets.list({ limit: 9 })).toStrictEqual([added])
    expect(await storage.pets.add(aNewPet(), once)).toStrictEqual(added)
    await storage.pets.add(aNewPet())
    expect((await readFile(url, 'utf8')).match(/\n/g)).toHaveLength(2)
  })
})
