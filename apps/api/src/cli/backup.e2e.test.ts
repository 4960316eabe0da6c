import { type RunningProgram, temporaryFolder } from '@pet-store/testing'
import { afterEach, expect, it } from 'vitest'
import { runHere } from '../testing/run-command.test-support.ts'
import { runProgram, runStart } from '../testing/run-program.test-support.ts'

const running: RunningProgram[] = []
afterEach(async () => {
  for (const program of running.splice(0)) {
    program.process.kill('SIGKILL')
    await program.ended
  }
})

async function start(folder: string, database: string) {
  const started = await runStart(folder, { DATABASE_URL: `sqlite:${database}` })
  running.push(started.program)
  const headers = { Authorization: `Bearer ${started.key}`, 'Content-Type': 'application/json' }
  return (path: string, body?: string) =>
    fetch(`${started.address}${path}`, {
      headers,
      ...(body !== undefined && { method: 'POST', body }),
    })
}

// What docs/how-to/back-up-and-restore.md tells operators to do.
it('pet-store backup and restore keep every pet that was reported as stored', async () => {
  const folder = await temporaryFolder()
  const settings = { DATABASE_URL: 'sqlite:pets.db' }
  const run = async (command: string) => {
    const { ended, output } = runProgram(command, folder, settings)
    return { code: await ended, ...output }
  }
  const ask = await start(folder, 'pets.db')
  const add = async () => (await ask('/pets', '{"name":"Rex","categoryId":1}')).text()
  const before = await Promise.all(Array.from({ length: 50 }, add))
  const backup = run('backup backup.db')
  const meanwhile = await Promise.all(Array.from({ length: 50 }, add))
  expect(new Set(meanwhile).size).toBe(50)
  expect(await backup).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^"backup.db" is a checked copy with \d+ pets\.\n$/) as string,
  })

  const inUse = await runHere('restore backup.db', folder, settings)
  expect(inUse).toMatchObject({
    code: 1,
    stderr: 'Cannot write "pets.db": it is in use. Stop the service first.\n',
  })
  const [service] = running.splice(0)
  service?.process.kill('SIGTERM')
  await service?.ended
  expect((await runHere('restore backup.db', folder, settings)).stdout).toMatch(
    /^Restored \d+ pets\. The previous files are kept as pets\.db\.\d{8}T\d{6}Z\.\n$/,
  )
  const askRestored = await start(folder, 'pets.db')
  for (const text of before) {
    const id = /"id":([0-9]+)/.exec(text)?.[1]
    expect(await (await askRestored(`/pets/${id}`)).text()).toBe(text)
  }
})

it.each(['backup', 'restore'])('pet-store %s names the tools for PostgreSQL', async (command) => {
  const DATABASE_URL = 'postgres://nobody@localhost/none'
  const { code, stderr } = await runHere(`${command} backup.db`, await temporaryFolder(), {
    DATABASE_URL,
  })
  expect(code).toBe(1)
  expect(stderr).toContain('For PostgreSQL use pg_dump and pg_restore')
})
