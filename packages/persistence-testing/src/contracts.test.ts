import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { adapterContract, contractVersion } from '@pet-store/persistence-testing'
import { expect, it } from 'vitest'

const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8')
const harness = { open: () => Promise.reject(new Error('unused')), emptyDatabase: async () => '' }
const ids = adapterContract(harness).map(({ id }) => id)

it('the ids of all cases are those of case-ids.txt; raise contractVersion when they change', () => {
  expect(ids.join('\n')).toBe(read('../case-ids.txt').trimEnd())
})

it('the ids of all cases are unique and formatted alike', () => {
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^[a-z-]+([.][a-z0-9-]+)+$/)
})

it('the changelog begins with the version of the contracts', () => {
  expect(/^## (.+)$/m.exec(read('../CONTRACT-CHANGELOG.md'))?.[1]).toBe(contractVersion)
})

it('the README shows the contract test of the memory repository as it is', () => {
  expect(read('../README.md')).toContain(`\`\`\`ts\n${read('memory-pets.contract.test.ts')}\`\`\``)
})
