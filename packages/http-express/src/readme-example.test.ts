import { readFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

it('the example of the README is the file that is tested here', () => {
  const example = read('readme-example.test-support.ts').replace(
    "'./index.ts'",
    "'@pet-store/http-express'",
  )
  expect(read('../README.md')).toContain(`\`\`\`ts\n${example}\`\`\``)
})

it('the example of the README prints a command that works', async () => {
  const info = vi.spyOn(console, 'info').mockImplementation(() => {})
  await import('./readme-example.test-support.ts')
  await expect.poll(() => info.mock.calls).toHaveLength(1)
  const [, header = '', url = ''] = /'(.*)' (http:.*)$/.exec(String(info.mock.calls[0]?.[0])) ?? []
  const [name = '', value = ''] = header.split(': ')
  const response = await fetch(url, { headers: { [name]: value } })
  expect(await response.text()).toBe('[]')
  const line = ['GET', '/v1/pets', 200, response.headers.get('x-request-id')]
  await expect.poll(() => info.mock.calls).toContainEqual(line)
})
