import { Migration } from '@mikro-orm/migrations'

/** The table of imports: which files, and how far, so that an interrupted import can continue. */
export class NoteImports extends Migration {
  override up(): void {
    this.addSql(`create table pet_import (
      id integer not null primary key,
      sha256 text not null,
      state text not null constraint pet_import_state_check check (state in ('unfinished', 'finished')),
      lines integer not null,
      changed_at integer not null
    ) strict`)
  }
}
