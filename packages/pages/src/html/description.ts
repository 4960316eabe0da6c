/** The parts of the OpenAPI description that the reference page reads. */
export interface Description {
  readonly info: { readonly version: string; readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
  /** Every code of an error response. */
  readonly 'x-errors': Readonly<Record<string, DescribedError>>
}

interface DescribedOperation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly deprecated?: boolean
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly description: string; readonly content: Content }
  readonly responses: Readonly<Record<string, DescribedResponse>>
  readonly 'x-codeSamples': readonly DescribedSample[]
}

interface DescribedResponse {
  readonly description: string
  readonly content?: Content
}

/** An operation as code; `x-template` has placeholders for the values of a request. */
interface DescribedSample {
  readonly lang: string
  readonly label: string
  readonly source: string
  readonly 'x-template': string
}

export interface Parameter {
  readonly in: 'path' | 'query' | 'header'
  readonly name: string
  readonly description: string
  readonly required?: boolean
  readonly example?: string | number
  readonly schema: Schema
}

export interface Schema {
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: string | number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>

interface DescribedError {
  readonly status: number
  readonly meaning: string
}

/** An operation with its address. */
export interface AddressedOperation extends DescribedOperation {
  readonly method: string
  readonly path: string
}

/** Reads a description, and replaces each reference by the schema that it refers to. */
export function readDescription(json: string): Description {
  const parse = (schemas: Description['components']['schemas']): Description =>
    JSON.parse(json, (_name, value) => schemas[value?.$ref?.split('/').at(-1)] ?? value)
  // The schemas are parsed twice, because they contain references too.
  return parse(parse(parse({}).components.schemas).components.schemas)
}

export function operationsOf({ paths }: Description): readonly AddressedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, ...operation })),
  )
}
