import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { READERS } from './pet-files/read-pets.ts'
import { entriesOf, petsOf } from './testing/entries.test-support.ts'

it('the how-to has the same pets in both of its files', async () => {
  const page = await readFile(
    new URL('../../../../docs/how-to/move-data-in-and-out.md', import.meta.url),
    'utf8',
  )
  const example = (language: string) =>
    new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(page)?.[1] ?? ''
  const pets = [
    { name: 'Rex', categoryId: 1n, status: 'available' },
    { name: 'Bella, the "brave"', categoryId: 2n },
  ]
  expect(petsOf(await entriesOf(READERS.csv, example('csv')))).toEqual(pets)
  expect(petsOf(await entriesOf(READERS.ndjson, example('json')))).toEqual(pets)
})
