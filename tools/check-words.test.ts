import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { findWords } from './check-words.ts'

it.each([
  'Stroke the animal.',
  'const petAnimal = 1',
  'an_answer',
  'Answered.',
  'It has not the form of a pet.',
  'a slip of the pen',
])('finds the unwanted word in %j', (line) => {
  expect(findWords(`A good line.\n${line}`)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^2: ".+": write .+$/)]),
  )
})

it.each(['connect ECONNREFUSED', 'curl --retry-connrefused', 'the animal // words: quoted', 'an away game'])(
  'accepts %j',
  (line) => {
    expect(findWords(line)).toEqual([])
  },
)

it('finds no unwanted word in the repository', () => {
  const { stderr } = spawnSync(process.execPath, [new URL('check-words.ts', import.meta.url).pathname], {
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
})
