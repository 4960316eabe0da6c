import type { SqlDialect } from './sql-dialect.ts'

/**
 * Stores when keys were last used, in one statement for `count` keys. A stored time that is later
 * stays. The placeholders are those of MikroORM. Values: an id and a time for each key; no id
 * twice.
 *
 * One such statement runs at a time: several would lock the same keys in different orders, and
 * wait for each other until the database ends one of them.
 */
export function markKeysUsed(
  count: number,
  { apiKeyLock }: Pick<SqlDialect, 'apiKeyLock'>,
): string {
  const uses = Array.from({ length: count }, () => '(?, ?)').join(', ')
  return `
    with used (id, at) as (values ${uses}),
      locked as (select 1 from ${apiKeyLock})
    update api_key
    set last_used_at = used.at
    from used, locked
    where api_key.id = used.id
      and (api_key.last_used_at is null or api_key.last_used_at < used.at)`
}
