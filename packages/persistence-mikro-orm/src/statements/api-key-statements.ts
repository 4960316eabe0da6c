/**
 * Stores when keys were last used, in one statement for all of them: the latest time stays, in
 * whatever order uses arrive. For MikroORM, which writes the values into the text. Values: an id
 * and a time, `count` times; no id twice.
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
