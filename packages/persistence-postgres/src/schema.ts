import { Migration } from '@mikro-orm/migrations'
import type { MigrationObject } from '@mikro-orm/postgresql'

// Imports nothing of this project: a migration must do the same in ten years as today.

/** Every table. */
class CreateSchema extends Migration {
  override up(): void {
    // A sequence never returns a number twice. `bigserial` instead of an identity column, because
    // every engine supports it.
    this.addSql(`create table pet (
      -- squawk-ignore prefer-identity
      id bigserial primary key,
      name text not null,
      category_id bigint not null,
      status text constraint pet_status_check check (status in ('available', 'pending', 'sold'))
    )`)
    this.addSql('create index pet_status_id on pet (status, id)')

    // Without a foreign key, so that a distributed engine can spread the table by its primary key.
    // With the collation "C", which compares bytes: with that of a language, a creation with a key
    // takes the server 1.6 times as long, and a new version of the collation corrupts the index.
    this.addSql(`create table idempotency_key (
      owner text collate "C" not null,
      key text collate "C" not null,
      fingerprint text not null,
      pet_id bigint not null,
      created_at bigint not null,
      constraint idempotency_key_pkey primary key (owner, key)
    )`)
    this.addSql('create index idempotency_key_created_at on idempotency_key (created_at)')

    // The hashes of the keys, never the keys.
    this.addSql(`create table api_key (
      id text primary key,
      sha256 text not null,
      name text not null,
      scopes text not null,
      created_at bigint not null,
      created_by text,
      expires_at bigint,
      revoked_at bigint,
      revoked_by text,
      last_used_at bigint,
      replaces text,
      overlap_until bigint
    )`)
    this.addSql('create unique index api_key_sha256 on api_key (sha256)')
    this.addSql('create unique index api_key_replaces on api_key (replaces)')

    // Which files were imported, and up to which line, so that an interrupted import can continue.
    this.addSql(`create table pet_import (
      id bigint primary key,
      sha256 text not null,
      state text not null
        constraint pet_import_state_check check (state in ('unfinished', 'finished')),
      lines bigint not null,
      changed_at bigint not null
    )`)

    // Unlogged, which is faster. After a crash of the server the counts start at 0 again.
    this.addSql(`create unlogged table request_count (
      key_id text primary key,
      window_start bigint not null,
      requests bigint not null
    )`)
  }
}

/**
 * Every migration in order. The names are stored in existing databases: they never change, and none
 * is ever removed.
 */
export const MIGRATIONS: readonly MigrationObject[] = [
  { name: '0001-create-schema', class: CreateSchema },
]
