import { Migration } from '@mikro-orm/migrations'

/** Stores of which file the imported lines are, so that an import continues with that file only. */
export class IdentifyImportedFiles extends Migration {
  override up(): void {
    // A process of the previous release leaves it empty.
    this.addSql("alter table pet_import add column file_sha256 text not null default ''")
  }
}
