import { find } from '../browser/elements.ts'

/** The request that a form describes. */
export interface FormRequest {
  readonly method: string
  /** The path below the base address, with its parameters filled in. */
  readonly path: string
  /** The values of the parameters in the path, in their order. */
  readonly parameters: readonly string[]
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** Reads the form of an operation. Empty fields are left out. */
export function readForm(operation: HTMLElement): FormRequest {
  const { method = '', path: template = '' } = operation.dataset
  const given = (where: string) =>
    [...operation.querySelectorAll<HTMLInputElement>(`.fields [data-in="${where}"]`)].map(
      ({ dataset, value }) => [dataset['name'] ?? '', value.trim()] as const,
    )
  const filled = (where: string) =>
    Object.fromEntries(given(where).filter(([, value]) => value !== ''))
  let path = template
  for (const [name, value] of given('path'))
    path = path.replace(`{${name}}`, encodeURIComponent(value))
  return {
    method,
    path,
    parameters: given('path').map(([, value]) => value),
    query: filled('query'),
    headers: filled('header'),
    body: operation.querySelector('textarea')?.value,
  }
}

/** The address of a request, below the base address. */
export function targetOf({ path, query }: FormRequest): string {
  const search = new URLSearchParams(query)
  return search.size === 0 ? path : `${path}?${search}`
}

/** The headers of a request, including the API key and the content type. */
export function headersOf(
  { headers, body }: FormRequest,
  apiKey: string | undefined,
): Readonly<Record<string, string>> {
  return {
    ...(apiKey !== undefined && { Authorization: `Bearer ${apiKey}` }),
    ...headers,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  }
}

export function formOf(operation: HTMLElement): HTMLFormElement {
  return find(operation, '.try', HTMLFormElement)
}
