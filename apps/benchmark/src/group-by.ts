/** Items with the same key together, keys in the order in which they come. */
export function groupBy<Item, Key>(items: readonly Item[], key: (item: Item) => Key): [Key, Item[]][] {
  const groups = new Map<Key, Item[]>()
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item])
  return [...groups]
}
