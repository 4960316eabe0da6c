/**
 * Stores when keys were last used, in one statement for `count` keys. A stored time that is later
 * stays. The placeholders are those of MikroORM. Values: an id and a time for each key; no id
 * twice.
 */
export function markKeysUsed(count: number): string {
  const uses = Array.from({ length: count }, () => '(?, ?)').join(', ')
  return `
    with used (id, at) as (values ${uses})
    update api_key
    set last_used_at = used.at
    from used
    where api_key.id = used.id
      and (api_key.last_used_at is null or api_key.last_used_at < used.at)`
}
