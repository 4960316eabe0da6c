import { Migration } from '@mikro-orm/migrations'

/** Removes the columns on `pet` and the triggers that older processes needed. */
export class RemoveIdempotencyColumns extends Migration {
  override up(): void {
    for (const trigger of ['taken', 'added', 'freed', 'deleted']) this.addSql(`drop trigger pet_once_${trigger}`)
    for (const trigger of ['added', 'deleted']) this.addSql(`drop trigger idempotency_key_${trigger}`)
    // SQLite drops no column that an index names.
    for (const index of ['pet_once', 'pet_once_at']) this.addSql(`drop index ${index}`)
    for (const column of ['owner', 'key', 'fingerprint', 'at'])
      this.addSql(`alter table pet drop column once_${column}`)
  }
}
