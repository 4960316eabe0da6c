/** The parameters of a state, as a contract has them. `null` is as good as nothing. */
export type StateParameters = Readonly<Record<string, unknown>>

type Reader<T> = (value: unknown) => T | undefined

/** Reads the parameters that a state knows. Throws a sentence that names each wrong, missing or unknown one. */
export function readParameters<Known extends Record<string, Reader<unknown>>>(
  given: StateParameters,
  known: Known,
): { readonly [Name in keyof Known]: NonNullable<ReturnType<Known[Name]>> | undefined } {
  const names = Object.keys(known)
  const unknown = Object.keys(given).filter((name) => !names.includes(name))
  if (unknown.length > 0) {
    const all = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`
    throw new RangeError(`no parameter of this state is called ${unknown.join(' or ')}; ${all}`)
  }
  const read = Object.entries(known).map(([name, reader]) => {
    const value = given[name] ?? undefined
    if (value === undefined) return [name, undefined]
    const result = reader(value)
    if (result === undefined) throw new RangeError(`the parameter ${name} cannot be ${JSON.stringify(value)}`)
    return [name, result]
  })
  return Object.fromEntries(read) as never
}

/** What a state cannot do without. */
export function required<T>(name: string, value: T | undefined): T {
  if (value === undefined) throw new RangeError(`the parameter ${name} is required`)
  return value
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** An integer; one beyond 2^53 as a text of digits, since most writers of JSON would round it. */
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
