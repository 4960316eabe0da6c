import { Migration } from '@mikro-orm/migrations'

/** The table of API keys. It holds their hashes, never the keys. */
export class CreateApiKeys extends Migration {
  override up(): void {
    this.addSql(`create table api_key (
      id text not null primary key,
      sha256 text not null,
      name text not null,
      scopes text not null constraint api_key_scopes_check
        check (scopes in ('pets:read', 'pets:write', 'pets:read pets:write')),
      created_at integer not null,
      expires_at integer,
      revoked_at integer,
      last_used_at integer,
      replaces text,
      overlap_until integer
    ) strict`)
    this.addSql('create unique index api_key_sha256 on api_key (sha256)')
    this.addSql('create unique index api_key_replaces on api_key (replaces)')
  }
}
