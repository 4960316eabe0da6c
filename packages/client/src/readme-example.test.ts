import { readFileSync } from 'node:fs'
import { validateNewPet } from '@pet-store/domain'
import { expect, it, vi } from 'vitest'
import { API_KEY, startService } from './start-service.test-support.ts'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

it('the examples of the README are the files that are tested', () => {
  const example = read('readme-example.test-support.ts').replace("'./index.ts'", "'@pet-store/client'")
  expect(read('../README.md')).toContain(`\`\`\`ts\n${example}\`\`\``)
  expect(read('../README.md')).toContain(`\`\`\`html\n${read('browser-example.test-support.html')}\`\`\``)
})

it('the example of the README adds a pet, lists all, and is told what is wrong', async () => {
  const { baseUrl, pets } = await startService()
  await pets.add(validateNewPet({ name: 'Mia', categoryId: 1n, status: 'available' }))
  await pets.add(validateNewPet({ name: 'Tom', categoryId: 1n }))
  vi.stubEnv('PET_STORE_URL', baseUrl)
  vi.stubEnv('PET_STORE_KEY', API_KEY)
  const info = vi.spyOn(console, 'info').mockImplementation(() => {})

  await import('./readme-example.test-support.ts')
  expect(info.mock.calls).toEqual([
    ['Added Rex as pet 3 in category 9223372036854775807.'],
    ['The first page has 1; is there another page?', true],
    ['Mia', 'available'],
    ['Tom', 'nobody said'],
    ['Rex', 'available'],
    [expect.stringMatching(/^invalid_request: name must /)],
  ])
})
