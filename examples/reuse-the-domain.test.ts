import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const PROGRAM = join(import.meta.dirname, 'reuse-the-domain.ts')

it('reuse-the-domain.ts runs as its first lines say', async () => {
  const run = promisify(execFile)(process.execPath, ['--conditions=@pet-store/source', PROGRAM], {
    env: { ...process.env, NO_COLOR: '1' },
  })

  await expect(run).resolves.toEqual({
    stdout: [
      'Added Rex as pet 1.',
      'Rejected (pet_invalid): name must have a character that is not white space.',
      'Added Mia as pet 2.',
      'First page: {',
      "  pets: [ { name: 'Rex', categoryId: 7n, status: 'available', id: 1n } ],",
      '  next: 1n',
      '}',
      '1 Rex',
      '2 Mia',
      '',
    ].join('\n'),
    stderr: '',
  })
})

it("reuse-the-domain.ts is the example of the domain's README, but for its first lines", () => {
  const readme = readFileSync(join(import.meta.dirname, '../packages/domain/README.md'), 'utf8')
  const code = readFileSync(PROGRAM, 'utf8').replace(/^(\/\/.*\n)+/, '')

  expect(readme).toContain(`\`\`\`ts\n${code}\`\`\``)
})
