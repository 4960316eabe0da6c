import { Migration } from '@mikro-orm/migrations'

/** The table of pets. Imports nothing of ours: what is done to a database today must mean the same in ten years. */
export class CreatePets extends Migration {
  override up(): void {
    // `strict` refuses values of another type, whoever writes. `autoincrement` never gives an id a second time.
    // `not null` at the primary key says nothing new; without it MikroORM sees a difference from the entity.
    this.addSql(`create table pet (
      id integer not null primary key autoincrement,
      name text not null,
      category_id integer not null,
      status text constraint pet_status_check check (status in ('available', 'pending', 'sold'))
    ) strict`)
    this.addSql('create index pet_status_id on pet (status, id)')
  }
}
