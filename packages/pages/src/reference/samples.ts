import { compact } from '../browser/exact-json.ts'
import { publicBaseUrl } from '../browser/page-values.ts'
import { fillTemplate, type Values } from './fill-template.ts'
import { objectLiteral, QUOTES, type Quote, typeScriptLiteral } from './literals.ts'
import { type FormRequest, headersOf, targetOf } from './request-form.ts'

/** Stands for the key in samples while no key is known. */
const NO_KEY = '<API_KEY>'

/** A request as code: the template of a language with the values of the request. */
export function sampleOf(
  template: string,
  language: string,
  request: FormRequest,
  apiKey: string = NO_KEY,
): string {
  const quote = QUOTES[language] ?? JSON.stringify
  const values = {
    url: quote(`${publicBaseUrl}${targetOf(request)}`),
    body: quote(compact(request.body ?? '')),
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

/** The arguments with which the function of the client is called. */
function argumentsOf({ parameters, query, headers, body }: FormRequest): string {
  const { 'Idempotency-Key': idempotencyKey, ...others } = headers
  const options = [
    ...(idempotencyKey === undefined ? [] : [['idempotencyKey', text(idempotencyKey)] as const]),
    ...(Object.keys(others).length === 0 ? [] : [['headers', textsOf(others)] as const]),
  ]
  const queryFields = Object.entries(query).map(
    ([name, value]) => [name, name === 'limit' ? value : text(value)] as const,
  )
  const hasQuery = queryFields.length > 0
  // If there are options, the argument before them cannot be left out.
  const isList = parameters.length === 0 && body === undefined
  const parts = [
    ...parameters.map((value) => (/^-?\d+$/.test(value) ? `${value}n` : text(value))),
    ...(body === undefined ? [] : [typeScriptLiteral(body)]),
    ...(hasQuery || (isList && options.length > 0) ? [objectLiteral(queryFields)] : []),
    ...(options.length === 0 ? [] : [objectLiteral(options)]),
  ]
  return parts.join(', ')
}

function textsOf(values: Readonly<Record<string, string>>): string {
  return objectLiteral(Object.entries(values).map(([name, value]) => [name, text(value)]))
}

function text(value: string): string {
  return QUOTES['typescript']?.(value) ?? ''
}
