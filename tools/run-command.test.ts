import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { run } from './run-command.ts'

it('run resolves to what a command prints, and rejects with everything that a failed one printed', async () => {
  const node = (script: string) => run('.', [process.execPath, '--eval', script], { input: 'Rex' })
  expect(await node('process.stdin.pipe(process.stdout)')).toBe('Rex')
  await expect(node('console.log("one"); console.error("two"); process.exitCode = 3')).rejects.toThrow(
    /ended with 3:\none\ntwo/,
  )
})

it('a command that is not installed rejects, and no timer of it remains', () => {
  const module = new URL('run-command.ts', import.meta.url).href
  const script = `import { run } from '${module}'\nawait run('.', ['no-such-command']).catch(({ code }) => console.log(code))`
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    timeout: 50_000,
  })
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'ENOENT\n' })
})
