import { Migration } from '@mikro-orm/migrations'
import type { MigrationObject } from '@mikro-orm/sqlite'

// Imports nothing of this project: a migration must do the same in ten years as today.

/** Every table. */
class CreateSchema extends Migration {
  override up(): void {
    // `strict` rejects values of another type from any writer. `autoincrement` never reuses an id.
    // `not null` on the primary key is redundant; without it MikroORM reports a difference from the
    // entity.
    this.addSql(`create table pet (
      id integer not null primary key autoincrement,
      name text not null,
      category_id integer not null,
      status text constraint pet_status_check check (status in ('available', 'pending', 'sold'))
    ) strict`)
    this.addSql('create index pet_status_id on pet (status, id)')

    // `without rowid`, so that the table itself is ordered by its primary key: without a separate
    // index each creation writes one page less.
    this.addSql(`create table idempotency_key (
      owner text not null,
      key text not null,
      fingerprint text not null,
      pet_id integer not null,
      created_at integer not null,
      primary key (owner, key)
    ) strict, without rowid`)
    this.addSql('create index idempotency_key_created_at on idempotency_key (created_at)')

    // The hashes of the keys, never the keys.
    this.addSql(`create table api_key (
      id text not null primary key,
      sha256 text not null,
      name text not null,
      scopes text not null,
      created_at integer not null,
      created_by text,
      expires_at integer,
      revoked_at integer,
      revoked_by text,
      last_used_at integer,
      replaces text,
      overlap_until integer
    ) strict`)
    this.addSql('create unique index api_key_sha256 on api_key (sha256)')
    this.addSql('create unique index api_key_replaces on api_key (replaces)')

    // Which files were imported, and up to which line, so that an interrupted import can continue.
    this.addSql(`create table pet_import (
      id integer not null primary key,
      sha256 text not null,
      state text not null
        constraint pet_import_state_check check (state in ('unfinished', 'finished')),
      lines integer not null,
      changed_at integer not null
    ) strict`)
  }
}

/**
 * Every migration in order. The names are stored in existing databases: they never change, and none
 * is ever removed.
 */
export const MIGRATIONS: readonly MigrationObject[] = [
  { name: '0001-create-schema', class: CreateSchema },
]
