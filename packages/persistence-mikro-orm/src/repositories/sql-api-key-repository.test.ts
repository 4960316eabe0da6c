import { expect, it, vi } from 'vitest'
import type { FindApiKeyByHash } from '../statements/api-key-statements.ts'
import type { StatementRunner } from '../statements/statement-runner.ts'
import { SqlApiKeyRepository } from './sql-api-key-repository.ts'

it('The uses of many keys are one transaction', async () => {
  const write = vi.fn(async () => undefined as never)
  const read = async () => expect.unreachable()
  const runner = { readOne: () => read } as unknown as StatementRunner
  const keys = new SqlApiKeyRepository({ read, write }, {} as FindApiKeyByHash, runner)
  await keys.markUsed(Array.from({ length: 3_000 }, (_, index) => ({ id: `key_${index}`, at: new Date(index) })))
  expect(write).toHaveBeenCalledTimes(1)
})
