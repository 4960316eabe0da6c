// What only this adapter does.
import { appendFile, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aNewPet } from '@pet-store/persistence-testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import openNdjsonPersistence from '../src/ndjson-persistence.ts'

let folder: string
let url: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ndjson-'))
  url = join(folder, 'pets.ndjson')
})
afterEach(() => rm(folder, { recursive: true }))

const open = () => openNdjsonPersistence({ url, mode: 'migrate' })

describe('ndjson-persistence.ts', () => {
  it('a line that a crash cut off is ignored', async () => {
    const before = await open()
    const pet = await before.pets.add(aNewPet({ categoryId: 2n ** 63n - 1n, status: 'sold' }))
    await before.close()
    await appendFile(url, '{"id":"2","na')

    const after = await open()
    expect(await after.pets.list({ limit: 9 })).toStrictEqual([pet])
    await after.pets.add(aNewPet())
    await after.close()
    expect((await readFile(url, 'utf8')).match(/\n/g)).toHaveLength(2)
  })

  it('every call rejects when the file was moved', async () => {
    const { check, pets, close } = await open()
    await check()
    await rename(url, `${url}.moved`)
    await expect(check()).rejects.toMatchObject({ cause: { code: 'ENOENT' } })
    await writeFile(url, '')
    const rejection = { code: 'persistence_unavailable', outcome: 'not_stored' }
    const cause = new Error(`${url} was replaced by another file.`)
    for (const call of [check, () => pets.list({ limit: 1 }), () => pets.add(aNewPet())])
      await expect(call()).rejects.toMatchObject({ ...rejection, cause })
    await close()
  })

  it('a relative path means the same file in another working directory', async () => {
    const before = process.cwd()
    process.chdir(folder)
    const opening = openNdjsonPersistence({ url: 'pets.ndjson', mode: 'migrate' })
    process.chdir(before)
    const { check, pets, close } = await opening
    await check()
    const pet = await pets.add(aNewPet())
    expect(await pets.list({ limit: 1 })).toEqual([pet])
    await close()
  })

  it('no file is created without migrate', async () => {
    await expect(openNdjsonPersistence({ url })).rejects.toThrow(`There is no file ${url}.`)
    await expect(openNdjsonPersistence({ url, mode: 'write' })).rejects.toThrow('There is no file')
  })

  it('the lock of a process that was killed is replaced', async () => {
    // No process has this id.
    await writeFile(`${url}.lock`, '4194305')
    await (await open()).close()
    // A container gives every program the same id.
    await writeFile(`${url}.lock`, String(process.pid))
    await (await open()).close()
    await writeFile(`${url}.lock`, String(process.ppid))
    await expect(open()).rejects.toThrow(`${url} is open in process ${process.ppid}`)
  })
})
