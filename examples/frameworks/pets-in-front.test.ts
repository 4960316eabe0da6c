import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

it('the README of http-express shows the function that is tested here', () => {
  const readme = read('../../packages/http-express/README.md')
  expect(readme).toContain(`\`\`\`ts\n${read('pets-in-front.ts')}\`\`\``)
})
