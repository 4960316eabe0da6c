import { Migration } from '@mikro-orm/migrations'

/** Room to note which files were imported, and how far: an interrupted import goes on there. */
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
