import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

it('the README shows the contract test of the memory repository as it is', () => {
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
  const test = readFileSync(join(import.meta.dirname, 'memory-pets.contract.test.ts'), 'utf8')

  expect(readme).toContain(`\`\`\`ts\n${test}\`\`\``)
})
