import fc from 'fast-check'
import { openApiJson } from '../routes/description-route.ts'
import { rawJSON } from '../wire/raw-json.ts'
import { anyCharacter } from './any-character.test-support.ts'

/** The keywords that the description uses for requests. The generator rejects any other. */
export interface SentSchema {
  readonly $ref?: string
  readonly type?: 'string' | 'integer' | 'object'
  readonly enum?: readonly string[]
  readonly minimum?: number | bigint
  readonly maximum?: number | bigint
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly properties?: Readonly<Record<string, SentSchema>>
  readonly required?: readonly string[]
}

export interface SentParameter {
  readonly in: 'query' | 'path' | 'header'
  readonly name: string
  readonly required?: boolean
  readonly schema: SentSchema
}

export interface DescribedRequest {
  readonly operationId: string
  readonly parameters: readonly SentParameter[]
  readonly responses: Readonly<Record<string, unknown>>
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: SentSchema } }
  }
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedRequest>>>>
  readonly components: { readonly schemas: Readonly<Record<string, SentSchema>> }
}

/** The served description, with bounds beyond 2^53 as bigints. */
export const served: Description = JSON.parse(
  await openApiJson(),
  exactly as (key: string, value: unknown) => unknown,
)

function exactly(_key: string, value: unknown, context: { source: string }): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) ? BigInt(context.source) : value
}

const KEYWORDS = [
  'description',
  'default',
  'format',
  'type',
  'enum',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'properties',
  'required',
]

function resolved(schema: SentSchema): SentSchema {
  const found =
    schema.$ref === undefined ? schema : served.components.schemas[schema.$ref.replace(/.*\//, '')]
  if (found === undefined) throw new Error(`nothing is at ${schema.$ref}`)
  const unknown = Object.keys(found).filter((keyword) => !KEYWORDS.includes(keyword))
  if (unknown.length > 0) throw new Error(`the generator does not know ${unknown}`)
  return found
}

/** Characters that break one rule or another. */
const ODD = [
  ...'\0\t\n\v\f\r\u0085\u00a0\u1680\u2003\u2028\u202f\u3000\ufeff\u200b',
  '\ud800',
  '\udfff',
  ' ',
  '"',
  'a',
  'é',
  '🐕',
]

/** Values that a schema allows. */
export function valid(schema: SentSchema): fc.Arbitrary<unknown> {
  const { type, enum: values, properties = {}, required = [], ...rules } = resolved(schema)
  if (values !== undefined) return fc.constantFrom(...values)
  if (type === 'integer') {
    const min = BigInt(rules.minimum ?? 0)
    const max = BigInt(rules.maximum ?? 0)
    return fc.oneof(fc.constantFrom(min, max), fc.bigInt({ min, max }))
  }
  if (type === 'string') return validString(rules)
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, valid(property)]),
  )
  const more = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 })
  return fc
    .tuple(more, fc.record(fields, { requiredKeys: [...required] }))
    .map(([extra, known]) => {
      const others = Object.entries(extra).filter(([name]) => !Object.hasOwn(properties, name))
      return { ...Object.fromEntries(others), ...known }
    })
}

function validString({
  minLength = 0,
  maxLength = 200,
  pattern = '',
}: SentSchema): fc.Arbitrary<string> {
  const unit = fc.oneof(
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
    fc.constantFrom(...ODD),
  )
  const lengths = fc.oneof(
    fc.constantFrom(minLength, maxLength),
    fc.integer({ min: minLength, max: maxLength }),
  )
  const repeated = fc.tuple(unit, lengths).map(([character, length]) => character.repeat(length))
  return fc
    .oneof(
      repeated,
      fc.string({ unit, minLength, maxLength }),
      fc.stringMatching(new RegExp(pattern || '.', 'u')),
    )
    .filter((text) => isValidString(text, { minLength, maxLength, pattern }))
}

function isValidString(
  text: string,
  { minLength = 0, maxLength = Infinity, pattern = '' }: SentSchema,
): boolean {
  const length = [...text].length
  return length >= minLength && length <= maxLength && new RegExp(pattern, 'u').test(text)
}

/** JSON values that break one rule of a schema. */
export function invalid(schema: SentSchema): fc.Arbitrary<unknown> {
  const { type, enum: values, properties = {}, required = [], ...rules } = resolved(schema)
  const otherType = fc.jsonValue().filter((value) => !isOf(type, value))
  if (values !== undefined) return fc.oneof(otherType, invalidText(schema))
  if (type === 'integer') return fc.oneof(otherType, outside(rules), fc.double({ noInteger: true }))
  if (type === 'string') {
    const odd = fc.string({ unit: fc.constantFrom(...ODD), maxLength: 3 })
    const long = fc
      .constantFrom('a', '🐕')
      .map((character) => character.repeat((rules.maxLength ?? 0) + 1))
    return fc.oneof(
      otherType,
      fc.oneof(odd, long).filter((text) => !isValidString(text, rules)),
    )
  }
  const good = valid(schema) as fc.Arbitrary<Record<string, unknown>>
  const lacking = required.map((name) => good.map(({ [name]: _, ...others }) => others))
  const broken = Object.entries(properties).map(([name, property]) =>
    fc.tuple(good, invalid(property)).map(([object, value]) => ({ ...object, [name]: value })),
  )
  return fc.oneof(otherType, ...lacking, ...broken)
}

function isOf(type: SentSchema['type'], value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value)
  return type === 'object'
    ? typeof value === 'object' && value !== null && !Array.isArray(value)
    : typeof value === type
}

function outside({ minimum = 0, maximum = 0 }: SentSchema): fc.Arbitrary<bigint> {
  const below = fc.bigInt({ min: -(10n ** 25n), max: BigInt(minimum) - 1n })
  const above = fc.bigInt({ min: BigInt(maximum) + 1n, max: 10n ** 25n })
  return fc.oneof(fc.constantFrom(BigInt(minimum) - 1n, BigInt(maximum) + 1n), below, above)
}

/** Texts that are not a value of a schema in a path or a query. */
export function invalidText(schema: SentSchema): fc.Arbitrary<string> {
  const { enum: values, minimum, maximum } = resolved(schema)
  const any = fc.string({ unit: 'grapheme', minLength: 1 })
  if (values !== undefined) {
    const near = fc
      .constantFrom(...values)
      .chain((value) => fc.constantFrom('', `${value} `, value.toUpperCase(), `"${value}"`))
    return fc.oneof(near, any).filter((text) => !values.includes(text))
  }
  const canonical = fc.bigInt({ min: BigInt(minimum ?? 0), max: BigInt(maximum ?? 0) }).map(String)
  const near = canonical.chain((text) =>
    fc.constantFrom(
      `${text}.0`,
      `${text}.5`,
      `${text}e0`,
      `+${text}`,
      `0${text}`,
      ` ${text}`,
      `${text} `,
      `0x${text}`,
      `${text}n`,
      '-0',
      'null',
      'true',
      'NaN',
    ),
  )
  return fc.oneof(
    near,
    outside(resolved(schema)).map(String),
    any.filter((text) => !/^(0|-?[1-9]\d*)$/.test(text)),
  )
}

/** JSON text in which a bigint is a number. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_key, part) =>
    typeof part === 'bigint' ? rawJSON(String(part)) : part,
  )
}
