import { readFileSync } from 'node:fs'
import { validateNewPet } from '@pet-store/domain'
import { expect, it, vi } from 'vitest'
import { API_KEY, startService } from './testing/start-service.test-support.ts'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

it('the examples in the README are the tested files', () => {
  const example = read('testing/readme-example.test-support.ts').replace("'../index.ts'", "'@pet-store/client'")
  expect(read('../README.md')).toContain(`\`\`\`ts\n${example}\`\`\``)
  expect(read('../README.md')).toContain(`\`\`\`html\n${read('testing/browser-example.test-support.html')}\`\`\``)
})

it('the example in the README adds a pet, lists all pets and prints an error', async () => {
  const { baseUrl, pets } = await startService()
  await pets.add(validateNewPet({ name: 'Mia', categoryId: 1n, status: 'available' }))
  await pets.add(validateNewPet({ name: 'Tom', categoryId: 1n }))
  vi.stubEnv('PET_STORE_URL', baseUrl)
  vi.stubEnv('PET_STORE_KEY', API_KEY)
  const info = vi.spyOn(console, 'info').mockImplementation(() => {})

  await import('./testing/readme-example.test-support.ts')
  expect(info.mock.calls).toEqual([
    ['Added Rex as pet 3 in category 9223372036854775807.'],
    ['The first page has 1. Another page:', true],
    ['Mia', 'available'],
    ['Tom', 'no status'],
    ['Rex', 'available'],
    [expect.stringMatching(/^invalid_request: name must /)],
  ])
})
