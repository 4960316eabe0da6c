/** The same item, of which a field cannot be read: an adapter must reject what it is part of. */
export function unreadable<Item extends object>(item: Item, field: keyof Item): Item {
  return Object.defineProperty({ ...item }, field, {
    enumerable: true,
    get() {
      throw new Error(`${String(field)} cannot be read`)
    },
  })
}
