import { describe, expect, it } from 'vitest'
import { petsInPiece } from './bulk-commands.ts'
import { copyLine, csvLine, ndjsonLine } from './bulk-files.ts'
import { dataPet } from './data-set.ts'

const quoted = dataPet(1, 1_000)
const withoutStatus = dataPet(3, 1_000)

describe('a pet in a file', () => {
  it('is a line of NDJSON, without an id, and without a status that nobody gave', () => {
    expect(ndjsonLine(quoted)).toBe('{"name":"Bella \\"the second\\" 1","categoryId":1000003,"status":"pending"}\n')
    expect(ndjsonLine(withoutStatus)).toBe('{"name":"Mašenka 3","categoryId":3000009}\n')
  })

  it('is a line of CSV, with quotes where they are needed', () => {
    expect(csvLine(quoted)).toBe('"Bella ""the second"" 1",1000003,pending\n')
    expect(csvLine(withoutStatus)).toBe('Mašenka 3,3000009,\n')
  })

  it('is a line of COPY', () => {
    expect(copyLine(quoted)).toBe('Bella "the second" 1\t1000003\tpending\n')
    expect(copyLine(withoutStatus)).toBe('Mašenka 3\t3000009\t\\N\n')
    // None of these is escaped.
    for (let id = 1; id <= 16; id += 1) expect(dataPet(id, 16).name).not.toMatch(/[\\\t\r\n]/)
  })
})

describe('a transaction in the own way of a database', () => {
  it('has as many pets as a piece of the file', () => {
    expect(petsInPiece({ bytes: 1024 * 1024 }, 10_001)).toBe(5_000)
    expect(petsInPiece({ bytes: 100_000_000 }, 1)).toBe(1)
  })
})
