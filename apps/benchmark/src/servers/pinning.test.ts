import { expect, it } from 'vitest'
import { readCores } from './pinning.ts'

it('reads ranges of cores from the output of taskset', () => {
  expect(readCores("pid 7's current affinity list: 0-2,5\n")).toEqual([0, 1, 2, 5])
  expect(readCores('taskset: failed')).toEqual([])
})
