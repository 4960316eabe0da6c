import { Migration } from '@mikro-orm/migrations'

/** Room to count the requests of each key. Unlogged: after a crash of the server counting begins anew, which harms nobody. */
export class CountRequests extends Migration {
  override up(): void {
    this.addSql(`create unlogged table request_count (
      key_id text primary key,
      window_start bigint not null,
      requests bigint not null
    )`)
  }
}
