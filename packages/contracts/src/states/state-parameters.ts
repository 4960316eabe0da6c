/** The parameters of a state in a contract. `null` means absent. */
export type StateParameters = Readonly<Record<string, unknown>>

type Reader<T> = (value: unknown) => T | undefined

/** Reads the parameters of a state. Throws a `RangeError` that names an unknown or invalid one. */
export function readParameters<Known extends Record<string, Reader<unknown>>>(
  given: StateParameters,
  known: Known,
): { readonly [Name in keyof Known]: NonNullable<ReturnType<Known[Name]>> | undefined } {
  const names = Object.keys(known)
  const unknown = Object.keys(given).filter((name) => !names.includes(name))
  if (unknown.length > 0) {
    const all = names.length === 0 ? 'this state has none' : `the parameters are ${names.join(', ')}`
    throw new RangeError(`unknown parameter ${unknown.join(', ')}; ${all}`)
  }
  const read = Object.entries(known).map(([name, reader]) => {
    const value = given[name] ?? undefined
    if (value === undefined) return [name, undefined]
    const result = reader(value)
    if (result === undefined) throw new RangeError(`the parameter ${name} is invalid: ${JSON.stringify(value)}`)
    return [name, result]
  })
  return Object.fromEntries(read) as never
}

/** A parameter that is not optional. */
export function required<T>(name: string, value: T | undefined): T {
  if (value === undefined) throw new RangeError(`the parameter ${name} is required`)
  return value
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** An integer; beyond 2^53 as a string of digits, since most JSON libraries round it. */
export function integer(value: unknown): bigint | undefined {
  if (typeof value === 'string' && /^-?\d{1,19}$/.test(value)) return BigInt(value)
  return Number.isSafeInteger(value) ? BigInt(value as number) : undefined
}

export function oneOf<T extends string>(values: readonly T[]): Reader<T> {
  return (value) => values.find((known) => known === value)
}

export function someOf<T extends string>(values: readonly T[]): Reader<readonly T[]> {
  return (value) => {
    const list: readonly unknown[] = Array.isArray(value) ? value : [value]
    const found = values.filter((known) => list.includes(known))
    return found.length === list.length && found.length > 0 ? found : undefined
  }
}
