import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@pet-store/testing'
import { expect, it } from 'vitest'
import { findPetFile, replaceFile } from './pet-file.ts'

it('an export is whole beside another with the same process id, as in containers', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 'pets.csv')
  const texts = ['long\n'.repeat(3_000), 'short\n'.repeat(1_000)]
  await Promise.all(texts.map((text) => replaceFile(file, linesOf(text))))
  expect(texts).toContain(readFileSync(file, 'utf8'))
  expect(readdirSync(folder)).toEqual(['pets.csv'])
})

it.each([
  ['n'.repeat(300), /^Cannot write "[^"]*": name too long\.$/],
  ['file/pets.csv', /^Cannot write "[^"]*": not a directory\.$/],
])('an export to a name that cannot be says why: %.14s', async (name, message) => {
  const folder = await temporaryFolder()
  writeFileSync(join(folder, 'file'), '')
  const listeners = process.listenerCount('exit')
  await expect(replaceFile(join(folder, name), linesOf('a\n'))).rejects.toThrow(message)
  expect(process.listenerCount('exit')).toBe(listeners)
})

it('an error while a file is read names the file', async () => {
  const file = join(await temporaryFolder(), 'pets.csv')
  writeFileSync(file, '')
  const { open } = await findPetFile(file)
  rmSync(file)
  await expect(open()[Symbol.asyncIterator]().next()).rejects.toThrow(
    /^Cannot read "[^"]*pets.csv": no such file or directory\.$/,
  )
})

async function* linesOf(text: string): AsyncGenerator<string> {
  for (const line of text.match(/.*\n/g) ?? []) yield line
}
