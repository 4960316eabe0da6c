/** To find so many takes a few seconds at most, even if each takes an adapter 0.1 s. */
const FEW = 300
const SAMPLE = 20

/** All items if they are few, else some from everywhere. */
export function someOf<Item>(items: Iterable<Item>): readonly Item[] {
  const all = [...items]
  if (all.length <= FEW) return all
  const every = Math.ceil(all.length / SAMPLE)
  return all.filter((_, index) => index % every === 0)
}
