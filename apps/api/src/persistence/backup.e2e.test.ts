import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import { type RunningProgram, runStart, temporaryFolder } from '../testing/run-program.test-support.ts'

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
    fetch(`${started.address}${path}`, { headers, ...(body !== undefined && { method: 'POST', body }) })
}

// What docs/how-to/operate.md tells operators to do.
describe('A backup of SQLite by VACUUM INTO', () => {
  it('is made while the service runs, and holds every pet that was answered', async () => {
    const folder = await temporaryFolder()
    const ask = await start(folder, 'pets.db')
    const add = async () => (await ask('/pets', '{"name":"Kept","categoryId":1}')).text()
    const before = await Promise.all(Array.from({ length: 50 }, add))
    const meanwhile = Promise.all(Array.from({ length: 50 }, add))
    const database = new DatabaseSync(`${folder}/pets.db`)
    database.exec(`VACUUM INTO '${folder}/backup.db'`)
    database.close()
    expect(new Set(await meanwhile).size).toBe(50)

    const askRestored = await start(folder, 'backup.db')
    for (const text of before) {
      const id = /"id":([0-9]+)/.exec(text)?.[1]
      expect(await (await askRestored(`/pets/${id}`)).text()).toBe(text)
    }
  })
})
