import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const PROGRAM = ['--conditions=@pet-store/source', join(import.meta.dirname, 'stock-taking.ts')]

it('stock-taking.ts counts pets by status and category, and reports invalid lines', () => {
  const lines = [
    'Rex,7,available',
    'Mia,7,available',
    'Tom,9223372036854775807,sold',
    'Ada,7',
    ' ,7,sold',
    'Zoe,seven',
    'Zoe,9223372036854775808',
    'Zoe,7,lost',
    'Zoe',
  ]
  const { status, stdout, stderr } = spawnSync(process.execPath, PROGRAM, {
    encoding: 'utf8',
    input: `${lines.join('\n')}\n`,
  })
  expect(stdout.trimEnd().split('\n')).toEqual([
    'available, category 7: 2',
    'sold, category 9223372036854775807: 1',
    'total: 4',
  ])
  expect(stderr.trimEnd().split('\n')).toEqual([
    'Line 5: name must have a character that is not white space',
    expect.stringMatching(/^Line 6: categoryId must be an integer from /),
    expect.stringMatching(/^Line 7: categoryId must be an integer from /),
    'Line 8: status must be one of available, pending, sold',
    expect.stringMatching(/^Line 9: categoryId must be an integer from /),
  ])
  expect(status).toBe(1)
})

it('stock-taking.ts ends with 0 when every line is valid', () => {
  const { status, stdout } = spawnSync(process.execPath, PROGRAM, {
    encoding: 'utf8',
    input: 'Rex,7\n',
  })
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'total: 1\n' })
})
