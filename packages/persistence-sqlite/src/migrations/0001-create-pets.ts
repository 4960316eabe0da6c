import { Migration } from '@mikro-orm/migrations'

/** The table of pets. Migrations import nothing of ours, so that they never change their meaning. */
export class CreatePets extends Migration {
  override up(): void {
    // `strict` rejects values of another type from any writer. `autoincrement` never reuses an id.
    // `not null` on the primary key is redundant; without it MikroORM reports a difference from the entity.
    this.addSql(`create table pet (
      id integer not null primary key autoincrement,
      name text not null,
      category_id integer not null,
      status text constraint pet_status_check check (status in ('available', 'pending', 'sold'))
    ) strict`)
    this.addSql('create index pet_status_id on pet (status, id)')
  }
}
