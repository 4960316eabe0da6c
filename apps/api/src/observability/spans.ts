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

/** The context of the current span; there is one only within a request that is recorded. */
const active = new AsyncLocalStorage<Context | undefined>()
const propagator = new W3CTraceContextPropagator()

/** Paths that are requested every few seconds by probes, and are not worth a trace. */
const NOT_TRACED = /^\/(?:livez|readyz|metrics)(?:\?|$)/

export interface Spans {
  readonly listener: (app: RequestListener) => RequestListener
  readonly useCases: (useCases: PetUseCases) => PetUseCases
  readonly onStatement: OnStatement
}

/**
 * Makes a span for each request, in it one for its use case, and in that one for each statement
 * that the adapter reports. The operations of the repository have no spans, because these would
 * last as long as those of the use cases. Spans contain no header, query, body, argument or result.
 * Of the requests that belong to no trace yet, `share` are recorded, from 0 to 1.
 */
export function createSpans(tracer: Tracer, share: number): Spans {
  /** Not an `async` function, because work that is not recorded should not cost another promise. */
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
     * A request that is not recorded runs without a context, so that its use case and its
     * statements make no spans either.
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

/**
 * Runs work outside of every trace: sending traces belongs to no request, but begins within one.
 */
export function outsideTraces(work: (value: unknown) => void): (value: unknown) => void {
  return (value) => active.run(undefined, work, value)
}

/** The trace to which a request belongs, or the root; `undefined` if it is not to be traced. */
function parentOf({ url = '', headers }: IncomingMessage): Context | undefined {
  if (NOT_TRACED.test(url)) return undefined
  if (headers['traceparent'] === undefined) return ROOT_CONTEXT
  return propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
}

/**
 * The attributes that OpenTelemetry's semantic conventions require for HTTP servers. Those that
 * they recommend, such as the address of the client, are in the log line, which has the id of the
 * trace.
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
 * Ends a span with the code of an error. The message is left out, because it may repeat what a
 * client has sent. An error of the domain does not count as a failure, except an unavailable
 * database.
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
 * Options of pino that add the ids of the current trace and span to log lines. The fields of a line
 * outside a trace are not copied, which would cost as much as writing it.
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
