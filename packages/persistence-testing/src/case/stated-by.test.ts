import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { adapterContract } from '../adapter-contract.ts'
import { statedBy } from './stated-by.ts'

const PORTS: Readonly<Record<string, readonly string[]>> = {
  '@pet-store/domain': ['pet-repository.ts', 'idempotency-key.ts'],
  '@pet-store/access': ['api-key-repository.ts', 'rate-limiter.ts'],
  '@pet-store/persistence': ['bulk-access.ts', 'persistence.ts'],
}

/** Whether a declaration, or one of its members, has a comment in the ports of a package. */
function isCommented(declaration: string, packageName: string): boolean {
  const [type, member] = declaration.split('.')
  const texts = (PORTS[packageName] ?? []).map((file) => {
    const folder = packageName.replace('@pet-store/', '')
    return readFileSync(new URL(`../../../${folder}/src/${file}`, import.meta.url), 'utf8')
  })
  const declared = new RegExp(`\\*/\\nexport (?:interface|type) ${type} .*?\\n(?=\\n|$)`, 's')
  return texts.some((text) => {
    const [body] = declared.exec(text.replaceAll(/\n\n(?= )/g, '\n')) ?? []
    if (body === undefined || member === undefined) return body !== undefined
    return new RegExp(`\\*/\\n  (?:readonly )?${member}\\b`).test(body)
  })
}

it('statedBy names a declaration with a comment for every case', () => {
  const open = () => Promise.reject(new Error('not opened'))
  const cases = adapterContract({ open, emptyDatabase: async () => '' })
  expect(isCommented('PetRepository.remove', '@pet-store/domain')).toBe(false)
  const declarations = cases.map(({ id }) => statedBy(id))
  const missing = declarations.filter((one) => !isCommented(one.declaration, one.packageName))
  expect(missing).toEqual([])
})
