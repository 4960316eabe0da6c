import { expect, it } from 'vitest'
import { formatReport } from './adapter-report.ts'

it('formatReport adds up the times of a group, and has that of the whole by the clock', () => {
  const guarantee = { id: 'a', name: 'a', result: 'passed', durationMs: 2_000 } as const
  const report = formatReport({
    contractVersion: '1.0.0',
    capabilities: null,
    errorsOutsideCases: [],
    // The groups ran at the same time.
    guarantees: ['pets', 'pets', 'API keys'].map((capability) => ({ ...guarantee, capability })),
    durationMs: 4_500,
  })
  expect(report).toContain('\npets        2       0           0       4.0 s\n')
  expect(report).toContain('3 guarantees passed, 0 not tested, 0 failed, in 4.5 s.')
})
