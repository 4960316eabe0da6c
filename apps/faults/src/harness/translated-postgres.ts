import { type EmbeddedServer, findTranslatedPrograms, runSql } from '@pet-store/testing-postgres'
import pg from 'pg'
import { startOwnPostgres } from './database.ts'

export interface TranslatedPostgres {
  readonly server: EmbeddedServer
  readonly languages: readonly string[]
}

/**
 * Starts an installed server that has translations, with flags of `initdb`, and removes it after
 * the test. If none is installed, the test is skipped, and the output says why.
 */
export async function startTranslatedPostgres(
  skip: (reason: string) => never,
  initdbFlags: readonly string[] = [],
): Promise<TranslatedPostgres> {
  const programs = await findTranslatedPrograms().catch(({ message }: Error) => {
    console.log(`Skipped: ${message}`)
    return skip(message)
  })
  const server = await startOwnPostgres({ server: { ...programs, initdbFlags } })
  return { server, languages: programs.languages }
}

/**
 * Makes the server report errors in this language to every new connection to the database. Returns
 * the word for the severity `ERROR` in that language.
 */
export async function translateErrors(url: string, language: string): Promise<string> {
  const name = new URL(url).pathname.slice(1)
  await runSql(url, `alter database ${name} set lc_messages = '${language}.UTF-8'`)
  const error = await runSql(url, 'select 1 / 0').catch((reason: pg.DatabaseError) => reason)
  if (!(error instanceof pg.DatabaseError) || error.message === 'division by zero')
    throw new Error(`The server reports no errors in ${language}.`)
  return error.severity ?? ''
}
