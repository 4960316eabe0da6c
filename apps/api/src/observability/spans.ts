import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { context, propagation, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { setGlobalErrorHandler } from '@opentelemetry/core'
import { isPetError } from '@pet-store/domain'
import type { Instrumentation } from './instrumentation.ts'

const tracer = trace.getTracer('pet-store')

/** Requested every few seconds by whatever operates the service: not worth a trace. */
const NOT_TRACED = /^\/(?:livez|readyz|metrics)(?:\?|$)/

/**
 * A span for each request, in it one for its use case, and in that one for each operation of persistence. Spans hold no
 * header, query, body, argument or result.
 */
export const spans: Instrumentation = {
  listener: traceRequests,
  repository: (pets) => ({
    add: (...given) => inSpan('PetRepository.add', () => pets.add(...given)),
    addWithKey: (...given) => inSpan('PetRepository.addWithKey', () => pets.addWithKey(...given)),
    find: (id) => inSpan('PetRepository.find', () => pets.find(id)),
    list: (query) => inSpan('PetRepository.list', () => pets.list(query)),
  }),
  app: ({ pets, ...options }) => ({
    ...options,
    pets: {
      createPet: (...given) => inSpan('createPet', () => pets.createPet(...given)),
      getPet: (id) => inSpan('getPet', () => pets.getPet(id)),
      listPets: (query) => inSpan('listPets', () => pets.listPets(query)),
    },
  }),
}

/** A request that is not sampled has no context: whatever it leads to makes no span either, and costs nothing. */
function traceRequests(app: RequestListener): RequestListener {
  return (req, res) => {
    if (NOT_TRACED.test(req.url ?? '')) return app(req, res)
    const { method = '' } = req
    const parent = propagation.extract(ROOT_CONTEXT, req.headers)
    const span = tracer.startSpan(method, { kind: SpanKind.SERVER }, parent)
    if (!span.isRecording()) return app(req, res)
    describeRequest(span, req)
    res.once('close', () => endRequest(span, method, res))
    context.with(trace.setSpan(parent, span), () => app(req, res))
  }
}

/** By OpenTelemetry's semantic conventions for HTTP servers, without what clients choose but for method and path. */
function describeRequest(span: Span, { method = '', url = '', httpVersion, socket }: IncomingMessage): void {
  span.setAttributes({
    'http.request.method': method,
    'url.scheme': 'http',
    'url.path': url.split('?', 1)[0] ?? '',
    'network.protocol.version': httpVersion,
    'network.peer.address': socket.remoteAddress,
    'network.peer.port': socket.remotePort,
    'server.port': socket.localPort,
  })
}

/** What the app notes about a request in its response. */
interface Locals {
  readonly route?: string
  readonly errorCode?: string
}

function endRequest(span: Span, method: string, res: ServerResponse & { locals?: Locals }): void {
  const { route, errorCode } = res.locals ?? {}
  if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute('http.route', route)
  if (res.headersSent) span.setAttribute('http.response.status_code', res.statusCode)
  const error = res.statusCode >= 500 ? (errorCode ?? String(res.statusCode)) : undefined
  const failure = res.writableFinished ? error : 'incomplete_response'
  if (failure !== undefined) span.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

/** Not an `async` function, so that work outside a trace costs no promise of its own. */
function inSpan<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  if (trace.getActiveSpan() === undefined) return work()
  return tracer.startActiveSpan(name, async (span) => {
    try {
      return await work()
    } catch (error) {
      // Messages repeat what clients sent, so a span gets the code alone. An error of the domain is not a failure.
      span.setAttribute('error.type', isPetError(error) ? error.code : typeOf(error))
      if (!isPetError(error) || error.code === 'persistence_unavailable') span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  })
}

function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

const NO_IDS = {}

/** Adds the active trace and span to log lines. A line outside a trace is left as it is: to copy it costs as much as to write it. */
export const spanIdsInLines = {
  mixin() {
    const span = trace.getActiveSpan()
    if (span === undefined) return NO_IDS
    const { traceId, spanId } = span.spanContext()
    return { traceId, spanId }
  },
  mixinMergeStrategy: (fields: object, ids: object) => (ids === NO_IDS ? fields : Object.assign(ids, fields)),
}

/** Reports spans that could not be sent. OpenTelemetry itself would only log them at its own level, which is off. */
export function reportExportErrors(onError: (error: unknown) => void): void {
  setGlobalErrorHandler(onError)
}
