import { readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@pet-store/testing'
import { expect, it } from 'vitest'
import { addPets } from '../../testing/database-files.test-support.ts'

const countOpenDescriptors = (): number => readdirSync('/dev/fd').length

async function useAndDeleteDatabase(): Promise<void> {
  const folder = await temporaryFolder()
  await addPets(`sqlite:${join(folder, 'pets.db')}`, 1)
  await rm(folder, { recursive: true })
}

it('databases that were closed and deleted leave no file open but the last one', async () => {
  await useAndDeleteDatabase()
  const before = countOpenDescriptors()
  for (let count = 0; count < 20; count += 1) await useAndDeleteDatabase()
  expect(countOpenDescriptors()).toBe(before)
})
