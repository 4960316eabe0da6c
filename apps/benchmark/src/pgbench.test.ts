import { describe, expect, it } from 'vitest'
import { OPERATIONS } from './operations.ts'
import { scripts, statementsPerSecond } from './pgbench.ts'

describe('pgbench', () => {
  it('has a script for each operation that is one statement', () => {
    const single = OPERATIONS.map(({ id }) => id).filter((id) => id !== 'mixed')
    expect(Object.keys(scripts(1_000))).toEqual(single)
  })

  it('says its rate in one of many lines', () => {
    const said =
      'transaction type: list.sql\nlatency average = 0.5 ms\ntps = 20123.456789 (without initial connection time)\n'
    expect(statementsPerSecond(said)).toBe(20_123.456789)
    expect(() => statementsPerSecond('pgbench: error: connection failed')).toThrow('connection failed')
  })
})
