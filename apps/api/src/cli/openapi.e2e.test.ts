import { readFileSync } from 'node:fs'
import { temporaryFolder } from '@pet-store/testing'
import { expect, it } from 'vitest'
import { runProgram } from '../testing/run-program.test-support.ts'

const COPY = new URL('../../../../docs/openapi.json', import.meta.url)

it('prints the description that docs/openapi.json is a copy of, without any setting', async () => {
  const program = runProgram('openapi', await temporaryFolder(), { PORT: 'none' })

  expect(await program.ended).toBe(0)
  expect(program.output.stderr).toBe('')
  expect(program.output.stdout, 'Refresh the copy: pnpm --silent pet-store openapi > docs/openapi.json').toBe(
    readFileSync(COPY, 'utf8'),
  )
})
