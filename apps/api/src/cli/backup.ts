import type { OnCopied } from '@pet-store/persistence-sqlite'
import { amount } from '../messages/amount.ts'
import { MEGABYTES, type Progress, showProgress } from '../messages/progress.ts'
import { persistenceAdapter } from '../persistence/persistence-adapter.ts'
import { readSettings } from '../settings/read-settings.ts'
import { interruptible } from './interruptible.ts'

/** Writes a checked copy of the database to a file, even while the service runs. */
export async function backupCommand(file: string): Promise<void> {
  const { backup } = await persistenceAdapter(readSettings())
  if (backup === undefined) throw new Error(USE_OTHER_TOOLS)
  const stopped = () => `Stopped. ${JSON.stringify(file)} was not written.`
  const { pets } = await interruptible(stopped, () =>
    withCopyProgress((onCopied) => backup(file, onCopied)),
  )
  console.log(`${JSON.stringify(file)} is a checked copy with ${amount(pets, 'pet')}.`)
}

/** Shows the progress of copying, and then that the copy is being checked. */
export async function withCopyProgress<Result>(
  work: (onCopied: OnCopied) => Promise<Result>,
): Promise<Result> {
  let progress: Progress | undefined
  let copied = 0
  try {
    return await work((bytes, totalBytes) => {
      progress ??= showProgress('Copying', totalBytes, MEGABYTES)
      progress.advance(bytes - copied)
      copied = bytes
      if (bytes === totalBytes) progress.follow('Checking')
    })
  } finally {
    progress?.end()
  }
}

export const USE_OTHER_TOOLS =
  'backup and restore are for SQLite. For PostgreSQL use pg_dump and pg_restore, or continuous ' +
  'archiving.'
