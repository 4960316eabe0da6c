import { publicBaseUrl } from '../browser/page-values.ts'
import { fillTemplate, type Values } from './fill-template.ts'
import { objectLiteral, QUOTES, type Quote, typeScriptLiteral } from './literals.ts'
import { type FormRequest, headersOf, targetOf } from './request-form.ts'

/** What stands in the samples where no key is known. */
const NO_KEY = '<API_KEY>'

/** A request as code: the template of a language, filled in. */
export function sampleOf(
  template: string,
  language: string,
  request: FormRequest,
  apiKey: string = NO_KEY,
): string {
  const quote = QUOTES[language] ?? JSON.stringify
  const values = {
    url: quote(`${publicBaseUrl}${targetOf(request)}`),
    body: quote(request.body ?? ''),
    baseUrl: quote(publicBaseUrl),
    apiKey: quote(apiKey),
    arguments: argumentsOf(request),
  }
  const headers = Object.entries(headersOf(request, apiKey))
  return fillTemplate(
    template,
    values,
    headers.map(([name, value]) => headerValues(name, value, quote)),
  )
}

function headerValues(name: string, value: string, quote: Quote): Values {
  return { name: quote(name), value: quote(value), header: quote(`${name}: ${value}`) }
}

/** What a function of the client is called with. */
function argumentsOf({ parameters, query, headers, body }: FormRequest): string {
  const fields = Object.entries(query).map(
    ([name, value]) =>
      [name, name === 'limit' ? value : (QUOTES['typescript']?.(value) ?? '')] as const,
  )
  const idempotencyKey = headers['Idempotency-Key']
  const parts = [
    ...parameters.map((value) => (/^-?\d+$/.test(value) ? `${value}n` : value)),
    ...(fields.length === 0 ? [] : [objectLiteral(fields)]),
    ...(body === undefined ? [] : [typeScriptLiteral(body)]),
    ...(idempotencyKey === undefined
      ? []
      : [objectLiteral([['idempotencyKey', QUOTES['typescript']?.(idempotencyKey) ?? '']])]),
  ]
  return parts.join(', ')
}
