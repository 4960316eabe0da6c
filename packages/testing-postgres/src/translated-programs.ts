import { execFile } from 'node:child_process'
import { access, glob } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { ServerOptions } from './embedded-server.ts'

const run = promisify(execFile)

/** The folders in which Debian's packages put the programs of each version. */
const PROGRAM_FOLDERS = '/usr/lib/postgresql/*/bin'

/**
 * Finds the programs of an installed server that can report its errors in other languages, and
 * these languages. The programs from npm have none. Rejects with the reason if no such server is
 * installed.
 */
export async function findTranslatedPrograms(): Promise<
  Required<Pick<ServerOptions, 'programFolder' | 'languages'>>
> {
  for await (const programFolder of glob(PROGRAM_FOLDERS)) {
    const languages = await languagesOf(programFolder).catch(() => [])
    if (languages.length > 0) return { programFolder, languages }
  }
  throw new Error('no PostgreSQL server with translations is installed (Debian: postgresql)')
}

/** Finds the languages of a server: each has a file with the translated texts of `postgres`. */
async function languagesOf(programFolder: string): Promise<readonly string[]> {
  await access(join(programFolder, 'initdb'))
  const { stdout: folder } = await run(join(programFolder, 'pg_config'), ['--localedir'])
  const version = basename(dirname(programFolder))
  const texts = join(folder.trim(), `*/LC_MESSAGES/postgres-${version}.mo`)
  const languages: string[] = []
  for await (const path of glob(texts)) languages.push(basename(dirname(dirname(path))))
  return languages.toSorted()
}
