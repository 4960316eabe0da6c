import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8')

it('the README shows the contract test of the memory repository as it is', () => {
  expect(read('../README.md')).toContain(`\`\`\`ts\n${read('memory-pets.contract.test.ts')}\`\`\``)
})
