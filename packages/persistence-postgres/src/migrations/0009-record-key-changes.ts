import { Migration } from '@mikro-orm/migrations'

/** Stores who created and who revoked an API key. */
export class RecordKeyChanges extends Migration {
  override up(): void {
    // A process of the previous release leaves them empty.
    this.addSql('alter table api_key add column created_by text')
    this.addSql('alter table api_key add column revoked_by text')
  }
}
