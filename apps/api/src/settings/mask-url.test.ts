import { describe, expect, it } from 'vitest'
import { maskUrl } from './mask-url.ts'

describe('maskUrl', () => {
  it.each([
    ['sqlite:./data/pet-store.db', 'sqlite:./data/pet-store.db'],
    ['postgres://db/pets', 'postgres://db/pets'],
    ['postgres://pets@db:5433/pets', 'postgres://pets@db:5433/pets'],
    ['postgres://pets:secret@db/pets?sslmode=require', 'postgres://pets:***@db/pets?sslmode=***'],
    ['postgres://db/pets?user=pets&password=secret', 'postgres://db/pets?user=***&password=***'],
    ['postgres://pets:se:cr@et@db/pets', 'postgres://pets:***@db/pets'],
    ['anything secret', '***'],
  ])('shows %s as %s', (url, shown) => {
    expect(maskUrl(url)).toBe(shown)
  })
})
