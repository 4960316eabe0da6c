import { Migration } from '@mikro-orm/migrations'

/** Removes the columns on `pet` and the triggers that older instances needed. */
export class RemoveIdempotencyColumns extends Migration {
  override up(): void {
    this.addSql('drop trigger idempotency_key_changed on idempotency_key')
    for (const trigger of ['pet_once_added', 'pet_once_freed', 'pet_once_deleted']) {
      this.addSql(`drop trigger ${trigger} on pet`)
    }
    for (const name of ['idempotency_key_changed', 'pet_once_added', 'pet_once_freed']) {
      this.addSql(`drop function ${name}()`)
    }
    // Takes the indexes over these columns along.
    this.addSql(`alter table pet drop column once_owner, drop column once_key,
      drop column once_fingerprint, drop column once_at`)
  }
}
