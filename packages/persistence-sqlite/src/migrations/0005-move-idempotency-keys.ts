import { Migration } from '@mikro-orm/migrations'

/**
 * Gives idempotency keys a table of their own and copies the live ones into it.
 *
 * Processes of the release before use the columns on `pet` that 0002 added, and may run beside newer ones during a
 * deployment: triggers give every key to both places, and remove it from both. 0006 removes the columns and triggers.
 */
export class MoveIdempotencyKeys extends Migration {
  override up(): void {
    this.addSql(`create table idempotency_key (
      owner text not null,
      key text not null,
      fingerprint text not null,
      pet_id integer not null,
      created_at integer not null,
      primary key (owner, key)
    ) strict`)
    this.addSql('create index idempotency_key_created_at on idempotency_key (created_at)')
    this.addSql(`insert into idempotency_key (owner, key, fingerprint, pet_id, created_at)
      select once_owner, once_key, once_fingerprint, id, once_at from pet where once_key is not null`)

    // An older process adds a pet with a key. If the key is taken the row is left out, as a conflict would do.
    this.addSql(`create trigger pet_once_taken before insert on pet
      when new.once_key is not null
        and exists (select 1 from idempotency_key where owner = new.once_owner and key = new.once_key)
      begin select raise(ignore); end`)
    this.addSql(`create trigger pet_once_added after insert on pet when new.once_key is not null
      begin
        insert into idempotency_key (owner, key, fingerprint, pet_id, created_at)
          values (new.once_owner, new.once_key, new.once_fingerprint, new.id, new.once_at);
      end`)

    // An older process frees a key, or somebody deletes a pet.
    const free = 'delete from idempotency_key where owner = old.once_owner and key = old.once_key and pet_id = old.id;'
    this.addSql(`create trigger pet_once_freed after update on pet
      when old.once_key is not null and new.once_key is null begin ${free} end`)
    this.addSql(`create trigger pet_once_deleted after delete on pet when old.once_key is not null begin ${free} end`)

    // A newer process adds or deletes a key.
    this.addSql(`create trigger idempotency_key_added after insert on idempotency_key
      begin
        update pet set once_owner = new.owner, once_key = new.key, once_fingerprint = new.fingerprint,
          once_at = new.created_at where id = new.pet_id and once_key is null;
      end`)
    this.addSql(`create trigger idempotency_key_deleted after delete on idempotency_key
      begin
        update pet set once_owner = null, once_key = null, once_fingerprint = null, once_at = null
          where id = old.pet_id and once_owner = old.owner and once_key = old.key;
      end`)
  }
}
