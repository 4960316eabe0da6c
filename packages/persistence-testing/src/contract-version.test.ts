import { adapterContract } from '@pet-store/persistence-testing'
import { expect, it } from 'vitest'
import { CASE_IDS } from './contract-version.ts'

const harness = { open: () => Promise.reject(new Error('unused')), emptyDatabase: async () => '' }
const ids = adapterContract(harness).map(({ id }) => id)

it('the ids of all cases are in contract-version.ts; raise the version when they change', () => {
  const listed = Object.entries(CASE_IDS).flatMap(([group, names]) =>
    names.split(' ').map((name) => `${group}.${name}`),
  )
  expect(ids).toEqual(listed)
})

it('the ids of all cases are unique and formatted alike', () => {
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^[a-z-]+([.][a-z0-9-]+)+$/)
})
