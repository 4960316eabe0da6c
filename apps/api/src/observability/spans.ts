import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { isPetError, type PetUseCases } from '@pet-store/domain'
import { contextOf, onceLeft } from '@pet-store/http-express'
import type { OnStatement } from '@pet-store/persistence'

/** Where spans are made. There is one only within a request that is recorded. */
const active = new AsyncLocalStorage<Context | undefined>()
const propagator = new W3CTraceContextPropagator()

/** Requested every few seconds by whatever operates the service: not worth a trace. */
const NOT_TRACED = /^\/(?:livez|readyz|metrics)(?:\?|$)/

export interface Spans {
  readonly listener: (app: RequestListener) => RequestListener
  readonly useCases: (useCases: PetUseCases) => PetUseCases
  readonly onStatement: OnStatement
}

/**
 * A span for each request, in it one for its use case, and in that one for each statement that the
 * adapter reports. The operations of the repository have none: each would last as long as its use
 * case. Spans hold no header, query, body, argument or result. Of the requests that bring no trace
 * of their own `share` are recorded.
 */
export function createSpans(tracer: Tracer, share: number): Spans {
  /** Not an `async` function, so that work that is not recorded costs no promise of its own. */
  function inSpan<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const parent = active.getStore()
    if (parent === undefined) return work()
    const span = tracer.startSpan(name, undefined, parent)
    const result = active.run(trace.setSpan(parent, span), work)
    result.then(
      () => span.end(),
      (error) => endFailed(span, error),
    )
    return result
  }

  const onStatement: OnStatement = ({ name, sql }, { system, host, port, database }) => {
    const parent = active.getStore()
    if (parent === undefined) return undefined
    // OpenTelemetry leaves out what is undefined.
    const attributes = {
      'db.system.name': system,
      'db.namespace': database,
      'db.query.text': sql,
      'server.address': host,
      'server.port': port,
    }
    const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent)
    return (error) => (error === undefined ? span.end() : endFailed(span, error))
  }

  return {
    /**
     * A request that is not recorded has no context: whatever it leads to makes no span either, and
     * costs nothing.
     */
    listener: (app) => (req, res) => {
      const parent = parentOf(req)
      if (parent === undefined || (parent === ROOT_CONTEXT && Math.random() >= share))
        return app(req, res)
      const { method = '' } = req
      const span = tracer.startSpan(
        method,
        { kind: SpanKind.SERVER, attributes: attributesOf(req) },
        parent,
      )
      if (!span.isRecording()) return app(req, res)
      onceLeft(res, (_res, sentAtMs) => endRequest(span, method, res, sentAtMs !== undefined))
      active.run(trace.setSpan(parent, span), app, req, res)
    },

    useCases: (useCases) =>
      Object.fromEntries(
        Object.entries(useCases).map(([name, useCase]) => [
          name,
          (...given: unknown[]) => inSpan(name, () => useCase(...given)),
        ]),
      ) as unknown as PetUseCases,

    onStatement,
  }
}

/** What sending traces leads to belongs to no request, although one of them set it off. */
export function outsideTraces(work: (value: unknown) => void): (value: unknown) => void {
  return (value) => active.run(undefined, work, value)
}

/** The trace that a request came with, or the root; `undefined` if it is of no interest. */
function parentOf({ url = '', headers }: IncomingMessage): Context | undefined {
  if (NOT_TRACED.test(url)) return undefined
  if (headers['traceparent'] === undefined) return ROOT_CONTEXT
  return propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
}

/**
 * What OpenTelemetry's semantic conventions for HTTP servers require. What they also suggest, such
 * as the address of the client, is in the log line, which names the trace.
 */
function attributesOf({ method = '', url = '' }: IncomingMessage): Attributes {
  return {
    'http.request.method': method,
    'url.scheme': 'http',
    'url.path': url.split('?', 1)[0] ?? '',
  }
}

function endRequest(span: Span, method: string, res: ServerResponse, isComplete: boolean): void {
  const { route, errorCode } = contextOf(res) ?? {}
  if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute('http.route', route)
  if (res.headersSent) span.setAttribute('http.response.status_code', res.statusCode)
  const error = res.statusCode >= 500 ? (errorCode ?? String(res.statusCode)) : undefined
  const failure = isComplete ? error : 'incomplete_response'
  if (failure !== undefined)
    span.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

/**
 * Messages repeat what clients sent, so a span gets the code alone. An error of the domain is not a
 * failure.
 */
function endFailed(span: Span, error: unknown): void {
  span.setAttribute('error.type', isPetError(error) ? error.code : typeOf(error))
  if (!isPetError(error) || error.code === 'persistence_unavailable')
    span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

const NO_IDS = {}

/**
 * Adds the active trace and span to log lines. A line outside a trace is left as it is: to copy it
 * costs as much as to write it.
 */
export const spanIdsInLines = {
  mixin() {
    const context = active.getStore()
    const span = context && trace.getSpan(context)
    if (span === undefined) return NO_IDS
    const { traceId, spanId } = span.spanContext()
    return { traceId, spanId }
  },
  mixinMergeStrategy: (fields: object, ids: object) =>
    ids === NO_IDS ? fields : Object.assign(ids, fields),
}
