import { Migration } from '@mikro-orm/migrations'

/**
 * Gives idempotency keys a table of their own and copies the live ones into it.
 *
 * Instances of the release before use the columns on `pet` that 0002 added, and may run beside newer ones during a
 * deployment: triggers give every key to both places, and remove it from both. 0007 removes the columns and triggers.
 */
export class MoveIdempotencyKeys extends Migration {
  override up(): void {
    this.addSql(`create table idempotency_key (
      owner text not null,
      key text not null,
      fingerprint text not null,
      pet_id bigint not null,
      created_at bigint not null,
      constraint idempotency_key_pkey primary key (owner, key)
    )`)
    this.addSql('create index idempotency_key_created_at on idempotency_key (created_at)')
    // Older instances wait here until the triggers are there, so that no key is missed.
    this.addSql('lock table pet in share row exclusive mode')
    this.addSql(`insert into idempotency_key (owner, key, fingerprint, pet_id, created_at)
      select once_owner, once_key, once_fingerprint, id, once_at from pet where once_key is not null`)

    // An older instance adds a pet with a key. If the key is taken the row is left out, as a conflict would do.
    this.addSql(`create function pet_once_added() returns trigger language plpgsql as $$
      begin
        insert into idempotency_key (owner, key, fingerprint, pet_id, created_at)
          values (new.once_owner, new.once_key, new.once_fingerprint, new.id, new.once_at)
          on conflict (owner, key) do nothing;
        if found then return new; end if;
        return null;
      end $$`)
    this.addSql(`create trigger pet_once_added before insert on pet
      for each row when (new.once_key is not null) execute function pet_once_added()`)

    // An older instance frees a key, or somebody deletes a pet.
    this.addSql(`create function pet_once_freed() returns trigger language plpgsql as $$
      begin
        delete from idempotency_key where owner = old.once_owner and key = old.once_key and pet_id = old.id;
        return null;
      end $$`)
    this.addSql(`create trigger pet_once_freed after update on pet
      for each row when (old.once_key is not null and new.once_key is null) execute function pet_once_freed()`)
    this.addSql(`create trigger pet_once_deleted after delete on pet
      for each row when (old.once_key is not null) execute function pet_once_freed()`)

    // A newer instance adds or deletes a key.
    this.addSql(`create function idempotency_key_changed() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          update pet set once_owner = new.owner, once_key = new.key, once_fingerprint = new.fingerprint,
            once_at = new.created_at where id = new.pet_id and once_key is null;
        else
          update pet set once_owner = null, once_key = null, once_fingerprint = null, once_at = null
            where id = old.pet_id and once_owner = old.owner and once_key = old.key;
        end if;
        return null;
      end $$`)
    this.addSql(`create trigger idempotency_key_changed after insert or delete on idempotency_key
      for each row execute function idempotency_key_changed()`)
  }
}
