import { copyEverything } from '../copy.ts'
import { createProgress } from '../data/progress.ts'
import { openBulk } from '../persistence/open-persistence.ts'
import { readSettings } from '../settings/read-settings.ts'

/** Copies a whole database into another one, and proves that they are the same. */
export async function copy({ from, to }: { from?: string; to?: string }): Promise<void> {
  const settings = readSettings()
  const [source, target] = [from ?? settings.databaseUrl, to ?? settings.databaseUrl]
  if (source === target) throw new Error('--from and --to name the same database. The one left out is DATABASE_URL.')
  const here = await openBulk(source, false, settings)
  try {
    const there = await openBulk(target, true, settings)
    try {
      const { pets, apiKeys, checksum } = await copyEverything(here, there, createProgress())
      console.log(`Both sides hold ${pets} pets and ${apiKeys} API keys; the checksum of each is ${checksum}.`)
    } finally {
      await there.close()
    }
  } finally {
    await here.close()
  }
}
