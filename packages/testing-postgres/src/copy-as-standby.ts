import { randomBytes } from 'node:crypto'
import { appendFile, cp, writeFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { withClient } from './database.ts'

/**
 * The files that are not copied: those of the running process, those of the history before the
 * copy, and caches, which the server may remove meanwhile (PostgreSQL manual, 25.3).
 */
const NOT_COPIED = [
  /^postmaster\.(?:pid|opts)$/,
  /^(?:pg_wal|pg_replslot|pg_dynshmem)\/.+$/,
  /(?:^|\/)pg_internal\.init(?:\.\d+)?$/,
]

/** A running server of which a copy is made. */
interface Origin {
  readonly url: string
  readonly port: number
  readonly dataFolder: string
}

/**
 * Copies the files of a running server so that a second one can follow it, as `pg_basebackup` does,
 * which the programs from npm lack. A replication slot keeps the log that the copy has not received
 * yet, even while it is stopped.
 */
export async function copyAsStandby(origin: Origin, dataFolder: string): Promise<void> {
  // The backup belongs to the session, so all statements must use one connection.
  await withClient(origin.url, async (client) => {
    const slot = `standby_${randomBytes(4).toString('hex')}`
    await client.query('select pg_create_physical_replication_slot($1, true)', [slot])
    await client.query("select pg_backup_start('standby', true)")
    await cp(origin.dataFolder, dataFolder, {
      recursive: true,
      filter: (path) => {
        const name = relative(origin.dataFolder, path).replaceAll(sep, '/')
        return !NOT_COPIED.some((pattern) => pattern.test(name))
      },
    })
    const { rows } = await client.query<{ label: string }>(
      'select labelfile as label from pg_backup_stop(false)',
    )
    await writeFile(join(dataFolder, 'backup_label'), rows[0]?.label ?? '')
    await writeFile(join(dataFolder, 'standby.signal'), '')
    await appendFile(
      join(dataFolder, 'postgresql.auto.conf'),
      `primary_conninfo = 'host=127.0.0.1 port=${origin.port} ` +
        `user=postgres'\nprimary_slot_name = '${slot}'\n`,
    )
  })
}
