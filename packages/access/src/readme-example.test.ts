import { readFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

it('the example of the README is the file that is tested here', () => {
  const example = read('testing/readme-example.test-support.ts')
    .replace("'../index.ts'", "'@pet-store/access'")
    .replace("'../memory-api-keys.ts'", "'@pet-store/access/memory'")
  expect(read('../README.md')).toContain(`\`\`\`ts\n${example}\`\`\``)
})

it('the example of the README prints what its comments say', async () => {
  const info = vi.spyOn(console, 'info').mockImplementation(() => {})
  await import('./testing/readme-example.test-support.ts')
  const caller = { keyId: expect.stringMatching(/^key_/), scopes: ['pets:read'] }
  expect(info.mock.calls).toEqual([[caller], [undefined]])
})
