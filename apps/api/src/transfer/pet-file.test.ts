import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@pet-store/testing'
import { expect, it } from 'vitest'
import { replaceFile } from './pet-file.ts'

it('an export is whole beside another with the same process id, as in containers', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 'pets.csv')
  const texts = ['long\n'.repeat(3_000), 'short\n'.repeat(1_000)]
  await Promise.all(texts.map((text) => replaceFile(file, linesOf(text))))
  expect(texts).toContain(readFileSync(file, 'utf8'))
  expect(readdirSync(folder)).toEqual(['pets.csv'])
})

async function* linesOf(text: string): AsyncGenerator<string> {
  for (const line of text.match(/.*\n/g) ?? []) yield line
}
