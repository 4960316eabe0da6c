import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqlitePersistence } from './open-persistence.ts'

const PACKAGE = dirname(import.meta.dirname)

/** Arguments for a Node that runs this code from source, as a module of this package; `URL` is the database. */
const nodeArguments = (code: string, url: string): string[] => [
  '--conditions=@pet-store/source',
  '--input-type=module',
  '--eval',
  `import { migrateSqlite, openSqlitePersistence } from './src/index.ts'
   const URL = ${JSON.stringify(url)}
   ${code}`,
]

/** Runs it and gives what it printed, which is nothing but what the code prints: no log of the ORM is among it. */
async function run(code: string, url: string): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, nodeArguments(code, url), { cwd: PACKAGE })
  expect(stderr).toBe('')
  return stdout
}

describe('SQLite with several processes', () => {
  let folder: string
  let path: string
  let url: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pet-store-'))
    path = join(folder, 'new', 'pets.db')
    url = `sqlite:${path}`
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('migrates a new file once when all of them start together', async () => {
    // A common moment, late enough for every process to have loaded: else they would come one after the other.
    const start = Date.now() + 2000
    const code = `
      while (Date.now() < ${start});
      console.log(JSON.stringify(await migrateSqlite({ url: URL })))
      await (await openSqlitePersistence({ url: URL, migrate: true })).close()`
    const outputs = await Promise.all(Array.from({ length: 5 }, () => run(code, url)))
    expect(outputs.flatMap((output): unknown => JSON.parse(output))).toEqual([
      '0001-create-pets',
      '0002-remember-creations',
      '0003-create-api-keys',
      '0004-note-imports',
    ])
  })

  it('loses no answered pet when a process is killed', async () => {
    const writer = spawn(
      process.execPath,
      nodeArguments(
        `const { pets } = await openSqlitePersistence({ url: URL, migrate: true })
         const rex = { name: 'Rex', categoryId: 1n }
         async function caller() { for (;;) process.stdout.write((await pets.add(rex)).id + '\\n') }
         await Promise.all([caller(), caller(), caller()])`,
        url,
      ),
      { cwd: PACKAGE, stdio: ['ignore', 'pipe', 'inherit'] },
    )
    let output = ''
    for await (const chunk of writer.stdout.setEncoding('utf8')) {
      output += chunk
      if (output.length > 500) writer.kill('SIGKILL')
    }
    if (writer.signalCode === null) await once(writer, 'exit')
    expect(writer.signalCode).toBe('SIGKILL')

    // The last line may have been cut off.
    const answered = output.slice(0, output.lastIndexOf('\n')).split('\n')
    expect(answered.length).toBeGreaterThan(100)
    const storage = await openSqlitePersistence({ url })
    for (const id of answered) expect(await storage.pets.find(BigInt(id))).toMatchObject({ id: BigInt(id) })
    await storage.close()
  })

  it('lets one read while another writes', async () => {
    const storage = await openSqlitePersistence({ url, migrate: true })
    const other = new Database(path)
    other.exec('begin immediate')
    other.exec("insert into pet (name, category_id) values ('Rex', 1)")
    expect(await storage.pets.list({ limit: 1 })).toEqual([])
    other.exec('commit')
    other.close()
    expect(await storage.pets.list({ limit: 1 })).toMatchObject([{ name: 'Rex' }])
    await storage.close()
  })

  it('says so when it may not write the file', async () => {
    await (await openSqlitePersistence({ url, migrate: true })).close()
    chmodSync(path, 0o444)
    for (const above of [folder, dirname(path)]) chmodSync(above, 0o555)
    const message = await run(
      // The superuser may write everything, so it becomes nobody first.
      `if (process.getuid() === 0) process.seteuid(65534)
       await openSqlitePersistence({ url: URL, migrate: true }).catch((error) => console.log(error.message))`,
      url,
    )
    for (const above of [folder, dirname(path)]) chmodSync(above, 0o755)
    expect(message).toBe(`Cannot open the SQLite database ${JSON.stringify(path)}: it cannot be written.\n`)
  })
})
