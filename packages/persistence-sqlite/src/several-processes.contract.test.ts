import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { aNewPet } from '@pet-store/persistence-testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqlitePersistence } from './open-persistence.ts'
import { MIGRATIONS } from './schema.ts'

const PACKAGE = dirname(import.meta.dirname)

/** The arguments for a Node process that runs this code from source, as a module of this package; `URL` is the database. */
const nodeArguments = (code: string, url: string): string[] => [
  '--conditions=@pet-store/source',
  '--input-type=module',
  '--eval',
  `import { migrateSqlite, openSqlitePersistence } from './src/index.ts'
   const URL = ${JSON.stringify(url)}
   ${code}`,
]

/** Runs the code and returns what it printed; the ORM must not have logged anything. */
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

  it('migrates a new file once when three processes start together', async () => {
    // The same moment for all, late enough for each process to have loaded.
    const start = Date.now() + 2000
    const code = `
      await new Promise((resolve) => setTimeout(resolve, Math.max(1, ${start} - Date.now())))
      console.log(JSON.stringify(await migrateSqlite({ url: URL })))
      await (await openSqlitePersistence({ url: URL, migrate: true })).close()`
    const outputs = await Promise.all(Array.from({ length: 3 }, () => run(code, url)))
    expect(outputs.flatMap((output): unknown => JSON.parse(output))).toEqual(MIGRATIONS.map(({ name }) => name))
  })

  it('rejects opening a file or a folder that the user may not write', async () => {
    await (await openSqlitePersistence({ url, migrate: true })).close()
    const rejection = () =>
      run(
        // The superuser may write everything, so it becomes nobody, when everything is loaded.
        `await (await openSqlitePersistence({ url: 'sqlite::memory:', migrate: true })).close()
         if (process.getuid() === 0) process.setuid(65534)
         await openSqlitePersistence({ url: URL, migrate: true }).catch((error) => console.log(error.message))`,
        url,
      )
    const beginning = `Cannot open the SQLite database ${JSON.stringify(path)}: the user \\S+ \\(uid \\d+\\)`
    chmodSync(folder, 0o755)
    chmodSync(dirname(path), 0o777)
    chmodSync(path, 0o444)
    expect(await rejection()).toMatch(new RegExp(`^${beginning} may not write the file\\.\n$`))
    chmodSync(path, 0o666)
    chmodSync(dirname(path), 0o555)
    expect(await rejection()).toMatch(
      new RegExp(`^${beginning} may not write in the folder "[^"]+", where SQLite keeps its log\\.\n$`),
    )
    expect(readdirSync(dirname(path))).toEqual(['pets.db'])
    chmodSync(path, 0)
    expect(await rejection()).toMatch(new RegExp(`^${beginning} may not read the file\\.\n$`))
    chmodSync(dirname(path), 0)
    expect(await rejection()).toMatch(new RegExp(`^${beginning} may not create or open its folder\\.\n$`))
    chmodSync(dirname(path), 0o755)
  })

  it.each([
    ['a file that it may not write', 0o444, 0o777, false],
    ['a file in a folder that it may not write', 0o444, 0o555, false],
    ['a file of a running service', 0o644, 0o777, true],
    ['a file of another user', 0o644, 0o777, false],
  ])('a process that only reads %s leaves nothing beside it', async (_file, mode, folderMode, isServed) => {
    const persistence = await openSqlitePersistence({ url, migrate: true })
    await persistence.pets.add(aNewPet())
    if (!isServed) await persistence.close()
    const files = readdirSync(dirname(path))
    chmodSync(folder, 0o755)
    chmodSync(path, mode)
    chmodSync(dirname(path), folderMode)
    const output = await run(
      `import { readdirSync } from 'node:fs'
       await (await openSqlitePersistence({ url: 'sqlite::memory:', migrate: true })).close()
       if (process.getuid() === 0) process.setuid(65534)
       const { pets, close } = await openSqlitePersistence({ url: URL, readOnly: true })
       console.log((await pets.list({ limit: 2 })).map(({ name }) => name).join())
       console.log(readdirSync(${JSON.stringify(dirname(path))}).join())
       await close()`,
      url,
    )
    const [name, filesWhileOpen] = output.split('\n')
    expect(name).toBe(aNewPet().name)
    // An ordinary user is no other user here: its own file may have a log while it is open.
    const isOther = mode === 0o444 || process.getuid?.() === 0
    if (isOther) expect(filesWhileOpen).toBe(files.join())
    expect(readdirSync(dirname(path))).toEqual(files)
    chmodSync(dirname(path), 0o755)
    if (isServed) {
      await persistence.pets.add(aNewPet())
      await persistence.close()
    }
  })
})
