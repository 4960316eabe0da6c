import { execFile } from 'node:child_process'
import { chmodSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { aNewPet } from '@pet-store/persistence-testing'
import { temporaryFolder } from '@pet-store/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { openSqlitePersistence } from './open-persistence.ts'
import { MIGRATIONS } from './schema.ts'

const PACKAGE = dirname(import.meta.dirname)

/**
 * The arguments for a Node process that runs this code from source, as a module of this package;
 * `URL` is the database.
 */
const nodeArguments = (code: string, url: string): string[] => [
  '--conditions=@pet-store/source',
  '--input-type=module',
  '--eval',
  `import { migrateSqlite, openSqlitePersistence } from './src/index.ts'
   const URL = ${JSON.stringify(url)}
   ${code}`,
]

/** Root may read and write everything, so the process becomes nobody once all is loaded. */
const AS_NOBODY = `
  await (await openSqlitePersistence({ url: 'sqlite::memory:', mode: 'migrate' })).close()
  if (process.getuid() === 0) process.setuid(65534)`

/** Runs the code and returns what it printed; the ORM must not have logged anything. */
async function run(code: string, url: string): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, nodeArguments(code, url), {
    cwd: PACKAGE,
  })
  expect(stderr).toBe('')
  return stdout
}

describe('SQLite with several processes', () => {
  let folder: string
  let path: string
  let url: string

  beforeEach(async () => {
    folder = await temporaryFolder()
    path = join(folder, 'new', 'pets.db')
    url = `sqlite:${path}`
  })

  it('three processes that start together migrate a new file once', async () => {
    // The same moment for all, late enough for each process to have loaded.
    const start = Date.now() + 2000
    const code = `
      await new Promise((resolve) => setTimeout(resolve, Math.max(1, ${start} - Date.now())))
      console.log(JSON.stringify(await migrateSqlite({ url: URL })))
      await (await openSqlitePersistence({ url: URL, mode: 'migrate' })).close()`
    const outputs = await Promise.all(Array.from({ length: 3 }, () => run(code, url)))
    expect(outputs.flatMap((output): unknown => JSON.parse(output))).toEqual(
      MIGRATIONS.map(({ name }) => name),
    )
  })

  it('opening rejects a file or a folder that the user may not write or read', async () => {
    chmodSync(folder, 0o777)
    const output = await run(
      `import { chmodSync, readdirSync } from 'node:fs'
       ${AS_NOBODY}
       await (await openSqlitePersistence({ url: URL, mode: 'migrate' })).close()
       const [path, parent] = ${JSON.stringify([path, dirname(path)])}
       for (const [mode, parentMode] of [[0o444, 0o755], [0o644, 0o555], [0, 0o755], [0o644, 0]]) {
         chmodSync(path, mode)
         chmodSync(parent, parentMode)
         await openSqlitePersistence({ url: URL, mode: 'migrate' })
           .catch((error) => console.log(error.message))
         chmodSync(parent, 0o755)
         if (readdirSync(parent).length > 1) console.log('it has left a file behind')
       }`,
      url,
    )
    const file = JSON.stringify(path)
    const beginning = `Cannot open the SQLite database ${file}: the user \\S+ \\(uid \\d+\\)`
    const reasons = [
      'may not write the file',
      'may not write in the folder "[^"]+", where SQLite keeps its log',
      'may not read the file',
      'may not create or open its folder',
    ]
    expect(output).toMatch(
      new RegExp(`^${reasons.map((reason) => `${beginning} ${reason}\\.\n`).join('')}$`),
    )
  })

  it('a process that only reads leaves nothing beside the file', async () => {
    const cases = [
      { what: 'that it may not write', mode: 0o444, folderMode: 0o777 },
      { what: 'in a folder that it may not write', mode: 0o444, folderMode: 0o555 },
      { what: 'of a running service', mode: 0o644, folderMode: 0o777, isServed: true },
      { what: 'of another user', mode: 0o644, folderMode: 0o777 },
    ]
    chmodSync(folder, 0o755)
    const prepared = await Promise.all(
      cases.map(async ({ what, mode, folderMode, isServed = false }) => {
        const file = join(folder, what, 'pets.db')
        const persistence = await openSqlitePersistence({ url: `sqlite:${file}`, mode: 'migrate' })
        await persistence.pets.add(aNewPet())
        if (!isServed) await persistence.close()
        const files = readdirSync(dirname(file))
        chmodSync(file, mode)
        chmodSync(dirname(file), folderMode)
        return { what, mode, file, files, persistence, isServed }
      }),
    )
    const output = await run(
      `import { readdirSync } from 'node:fs'
       ${AS_NOBODY}
       for (const file of ${JSON.stringify(prepared.map(({ file }) => file))}) {
         const persistence = await openSqlitePersistence({ url: 'sqlite:' + file, mode: 'read' })
         const names = (await persistence.pets.list({ limit: 2 })).map(({ name }) => name)
         const files = readdirSync(file.slice(0, -'/pets.db'.length))
         console.log(JSON.stringify({ names, files }))
         await persistence.close()
       }`,
      url,
    )
    const read = output
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    for (const [index, { what, mode, file, files, persistence, isServed }] of prepared.entries()) {
      // Without root it is the same user, whose own file may have a log while it is open.
      const isOther = mode === 0o444 || process.getuid?.() === 0
      expect([what, read[index]]).toEqual([
        what,
        { names: [aNewPet().name], files: isOther ? files : expect.any(Array) },
      ])
      expect(readdirSync(dirname(file))).toEqual(files)
      chmodSync(dirname(file), 0o755)
      if (!isServed) continue
      await persistence.pets.add(aNewPet())
      await persistence.close()
    }
  })
})
