import { amount } from '../messages/amount.ts'
import { persistenceAdapter } from '../persistence/persistence-adapter.ts'
import { readSettings } from '../settings/read-settings.ts'
import { USE_OTHER_TOOLS, withCopyProgress } from './backup.ts'
import { interruptible } from './interruptible.ts'

/** Replaces the database by a backup. */
export async function restoreCommand(file: string): Promise<void> {
  const { restore } = await persistenceAdapter(readSettings())
  if (restore === undefined) throw new Error(USE_OTHER_TOOLS)
  const stopped = () => 'Stopped. The database was not replaced.'
  const { pets, previousFiles } = await interruptible(stopped, () =>
    withCopyProgress((onCopied) => restore(file, onCopied)),
  )
  const kept =
    previousFiles.length === 0 ? '' : ` The previous files are kept as ${previousFiles.join(', ')}.`
  console.log(`Restored ${amount(pets, 'pet')}.${kept}`)
}
