import { gzipSync } from 'node:zlib'
import { ERROR_STATUS, openApiJson } from '@pet-store/http-express'
import { describe, expect, it } from 'vitest'
import { pages } from './pages.ts'

const VALUES = {
  developmentKey: 'pets_"<development>&',
  publicUrl: 'https://shop.example/',
  address: 'https://shop.example/v1',
}
const DESCRIPTION = await openApiJson()

describe.each([
  ['store', await pages.store(VALUES)],
  ['reference', await pages.reference(VALUES, DESCRIPTION)],
])('the page of the %s', (name, text) => {
  it(`the page of the ${name} has nothing that the policy of the pages rejects`, () => {
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:|<script(?![^>]*\ssrc=)/)
  })

  it(`the page of the ${name} refers only to what the service has, behind any prefix`, () => {
    const files = pages.files.map((file) => `docs/${file.name}`)
    const known = ['./', 'docs', 'openapi.json', ...files]
    const references = [...text.matchAll(/(?:href|src)="([^"#][^"]*)"/g)].map(([, to]) => to)
    expect(references.length).toBeGreaterThan(2)
    expect(references.filter((reference = '') => !known.includes(reference))).toEqual([])
  })

  it(`the page of the ${name} escapes what is written into it`, () => {
    const key = 'pets_&#34;&#60;development&#62;&#38;'
    expect(text).toContain(`data-development-key="${key}"`)
  })
})

it('both pages, and all that they load, have at most 60 kB after gzip', async () => {
  const files = await Promise.all(pages.files.map(({ read }) => read()))
  const html = [await pages.store(VALUES), await pages.reference(VALUES, DESCRIPTION)]
  const sizes = [...html, ...files].map((text) => gzipSync(text).length)
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(60_000)
})

describe('the reference page', () => {
  it('the reference has every operation, parameter, field and error code described', async () => {
    const page = await pages.reference(VALUES, DESCRIPTION)
    // Error codes may be broken between their words.
    const text = page.replaceAll('<wbr>', '')
    const { paths, components } = JSON.parse(DESCRIPTION) as Description
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
    const { NewPet, Pet } = components.schemas
    const names = [
      ...operations.flatMap(({ operationId, parameters }) => [
        operationId,
        ...parameters.map(({ name }) => name),
      ]),
      ...Object.keys({ ...NewPet?.properties, ...Pet?.properties }),
      ...Object.keys(ERROR_STATUS),
    ]
    expect(names.length).toBeGreaterThan(25)
    for (const name of names) expect(text).toMatch(new RegExp(`id="${name}"|<code>${name}</code>`))
    for (const { summary } of operations) expect(text).toContain(`>${summary}`)
  })
})

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties?: object }>>
  }
}

interface DescribedOperation {
  readonly operationId: string
  readonly summary: string
  readonly parameters: readonly { readonly name: string }[]
}
