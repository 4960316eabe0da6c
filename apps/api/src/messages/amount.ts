/** An amount with its unit, such as `1 pet` or `137,075 pets`. */
export function amount(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`
}
