import { readFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

it('the example of the README is the file that is tested here', () => {
  const example = read('readme-example.test-support.ts').replace("'./index.ts'", "'@pet-store/access'")
  expect(read('../README.md')).toContain(`\`\`\`ts\n${example}\`\`\``)
})

it('the example of the README tells a caller from a stranger', async () => {
  const info = vi.spyOn(console, 'info').mockImplementation(() => {})
  await import('./readme-example.test-support.ts')
  expect(info.mock.calls).toEqual([[{ keyId: 'kiosk' }], [undefined]])
})
