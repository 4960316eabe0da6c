import { Migration } from '@mikro-orm/migrations'

/** The table of pets. Imports nothing of ours: what is done to a database today must mean the same in ten years. */
export class CreatePets extends Migration {
  override up(): void {
    // A sequence never gives a number a second time.
    this.addSql(`create table pet (
      id bigserial primary key,
      name text not null,
      category_id bigint not null,
      status text constraint pet_status_check check (status in ('available', 'pending', 'sold'))
    )`)
    this.addSql('create index pet_status_id on pet (status, id)')
  }
}
