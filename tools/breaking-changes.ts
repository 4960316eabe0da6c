/** A part of a description; its shape is that of OpenAPI 3.1. */
type Part = Readonly<Record<string, unknown>>

/** What clients send must stay valid; what they receive must stay within what was described. */
type Direction = 'sent' | 'received'

/**
 * What a client of the older description can no longer rely on under the newer one, one sentence each. Knows what the
 * descriptions of this service contain; any other change of a schema counts as breaking.
 */
export function breakingChanges(older: Part, newer: Part): string[] {
  const found: string[] = []
  const at = (place: string, isBroken: boolean, what: string) => {
    if (isBroken) found.push(`${place}: ${what}`)
  }
  const both = (part: unknown, other: unknown) => [resolve(part, older), resolve(other, newer)] as const

  compareOperations()
  return found

  function compareOperations(): void {
    at('servers', differ(older['servers'], newer['servers']), 'changed')
    for (const [path, methods] of entries(older['paths'])) {
      for (const [method, operation] of entries(methods)) {
        const place = `${method.toUpperCase()} ${path}`
        const [was, is] = both(operation, child(child(newer, 'paths', path), method))
        if (is === undefined) at(place, true, 'removed')
        else if (was !== undefined) compareOperation(place, was, is)
      }
    }
  }

  function compareOperation(place: string, was: Part, is: Part): void {
    at(place, was['operationId'] !== is['operationId'], 'has another operationId')
    at(place, differ(was['security'] ?? older['security'], is['security'] ?? newer['security']), 'has other security')
    compareParameters(place, list(was['parameters']), list(is['parameters']))
    compareContent(`${place} body`, 'sent', child(was, 'requestBody'), child(is, 'requestBody'))
    for (const [status, response] of entries(was['responses'])) {
      const now = child(is, 'responses', status)
      const responsePlace = `${place} ${status}`
      at(responsePlace, now === undefined, 'removed')
      if (now !== undefined) compareResponse(responsePlace, response, now)
    }
    for (const status of Object.keys(child(is, 'responses') ?? {})) {
      const isNew = child(was, 'responses', status) === undefined
      at(`${place} ${status}`, isNew && status.startsWith('2'), 'a success that no client expects')
    }
  }

  function compareParameters(place: string, was: readonly Part[], is: readonly Part[]): void {
    const same = (one: Part) => (other: Part) => one['in'] === other['in'] && one['name'] === other['name']
    for (const parameter of was) {
      const now = is.find(same(parameter))
      const parameterPlace = `${place} ${parameter['in']} ${parameter['name']}`
      at(parameterPlace, now === undefined, 'removed')
      at(parameterPlace, now?.['required'] === true && parameter['required'] !== true, 'became required')
      if (now !== undefined) compareSchema(parameterPlace, 'sent', parameter['schema'], now['schema'])
    }
    for (const parameter of is.filter((one) => !was.some(same(one)))) {
      at(`${place} ${parameter['in']} ${parameter['name']}`, parameter['required'] === true, 'new and required')
    }
  }

  function compareContent(place: string, direction: Direction, was: Part | undefined, is: Part | undefined): void {
    at(place, is?.['required'] === true && was?.['required'] !== true, 'became required')
    for (const [type, media] of entries(was?.['content'])) {
      const now = child(is, 'content', type)
      at(place, now === undefined, `${type} removed`)
      if (now !== undefined) compareSchema(place, direction, media['schema'], now['schema'])
    }
  }

  function compareResponse(place: string, was: Part, is: Part): void {
    compareContent(place, 'received', was, is)
    for (const [name, header] of entries(was['headers'])) {
      const now = child(is, 'headers', name)
      at(`${place} ${name}`, now === undefined, 'removed')
      at(`${place} ${name}`, header['required'] === true && now?.['required'] !== true, 'became optional')
      if (now !== undefined) compareSchema(`${place} ${name}`, 'received', header['schema'], now['schema'])
    }
  }

  function compareSchema(place: string, direction: Direction, one: unknown, other: unknown): void {
    const [was = {}, is = {}] = both(one, other)
    for (const keyword of new Set([...Object.keys(was), ...Object.keys(is)])) {
      const isAllowed = KEYWORDS[keyword]
      const isBroken =
        isAllowed === undefined ? differ(was[keyword], is[keyword]) : !isAllowed(direction, was[keyword], is[keyword])
      at(place, isBroken, `${keyword} was ${text(was[keyword])}, is ${text(is[keyword])}`)
    }
    for (const [name, property] of entries(was['properties'])) {
      const now = child(is, 'properties', name)
      at(`${place} ${name}`, now === undefined, 'removed')
      if (now !== undefined) compareSchema(`${place} ${name}`, direction, property, now)
    }
    if (was['items'] !== undefined && is['items'] !== undefined) {
      compareSchema(`${place} item`, direction, was['items'], is['items'])
    }
  }
}

/** Whether a keyword may go from one value to the other. */
type ChangeRule = (direction: Direction, was: unknown, is: unknown) => boolean

const always: ChangeRule = () => true

/** A bound that may only be loosened for what is sent, and only be tightened for what is received. */
function bound(isLooser: (was: Bound, is: Bound) => boolean): ChangeRule {
  return (direction, was, is) => {
    const [narrow, wide] = direction === 'sent' ? [was, is] : [is, was]
    if (wide === undefined) return true
    return narrow !== undefined && isLooser(narrow as Bound, wide as Bound)
  }
}

type Bound = number | bigint

const least = bound((was, is) => is <= was)
const most = bound((was, is) => is >= was)

/** Required fields: what is sent may need fewer, what is received must have no fewer. */
const required: ChangeRule = (direction, was, is) => {
  const [fewer, more] = direction === 'sent' ? [is, was] : [was, is]
  return list(fewer).every((name) => list(more).includes(name))
}

/** Allowed values: what is sent may have more, what is received must have no more. */
const values: ChangeRule = (direction, was, is) => {
  const [fewer, more] = direction === 'sent' ? [was, is] : [is, was]
  if (more === undefined) return true
  return fewer !== undefined && list(fewer).every((value) => list(more).includes(value))
}

const KEYWORDS: Readonly<Record<string, ChangeRule>> = {
  description: always,
  examples: always,
  // Compared one by one.
  properties: always,
  items: (_direction, was, is) => (was === undefined) === (is === undefined),
  minimum: least,
  minLength: least,
  maximum: most,
  maxLength: most,
  maxItems: most,
  required,
  enum: values,
}

function resolve(part: unknown, description: Part): Part | undefined {
  const reference = (part as Part | undefined)?.['$ref']
  if (typeof reference !== 'string') return part as Part | undefined
  return child(description, ...reference.replace('#/', '').split('/'))
}

function child(part: unknown, ...names: readonly string[]): Part | undefined {
  return names.reduce((found, name) => (found as Part | undefined)?.[name], part) as Part | undefined
}

function entries(part: unknown): [string, Part][] {
  return Object.entries((part ?? {}) as Record<string, Part>)
}

function list(part: unknown): readonly Part[] {
  return (part ?? []) as readonly Part[]
}

function differ(one: unknown, other: unknown): boolean {
  return text(one) !== text(other)
}

function text(value: unknown): string {
  return value === undefined
    ? 'nothing'
    : JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? `${part}` : part))
}
