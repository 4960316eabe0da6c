import { Migration } from '@mikro-orm/migrations'

/** Columns for the idempotency key under which a pet was created. */
export class RememberCreations extends Migration {
  override up(): void {
    this.addSql('alter table pet add column once_owner text')
    this.addSql('alter table pet add column once_key text')
    this.addSql('alter table pet add column once_fingerprint text')
    this.addSql('alter table pet add column once_at integer')
    // Partial indexes: pets without a key cost nothing.
    this.addSql('create unique index pet_once on pet (once_owner, once_key) where once_key is not null')
    this.addSql('create index pet_once_at on pet (once_at) where once_at is not null')
  }
}
