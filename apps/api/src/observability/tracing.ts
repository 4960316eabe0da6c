import { createRequire } from 'node:module'
import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { registerInstrumentations } from '@opentelemetry/instrumentation'
import { type HttpCustomAttributeFunction, HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Settings } from '../settings/settings.ts'
import { VERSION } from '../settings/version.ts'

/** Requested every few seconds by whatever operates the service: not worth a trace. */
const NOT_TRACED = /^\/(?:livez|readyz|metrics)(?:\?|$)/

/** How long a collector may take to respond, and how long an unavailable one delays a stop. */
const TIMEOUT_MS = 3_000

let provider: TracerProvider | undefined

/**
 * Sends traces to a collector from now on. Must run before the PostgreSQL driver is loaded. Spans contain no header
 * besides the user agent, no query string, no body, and no values of statements.
 */
export function startTracing(settings: Pick<Settings, 'otlpEndpoint' | 'tracesSampler' | 'tracesSamplerRatio'>): void {
  const url = `${settings.otlpEndpoint.replace(/\/$/, '')}/v1/traces`
  provider = new TracerProvider({
    // `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` take precedence.
    resource: resourceFromAttributes({ 'service.name': 'pet-store', 'service.version': VERSION }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    sampler: samplerOf(settings),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url, timeoutMillis: TIMEOUT_MS }) })],
  })
  trace.setGlobalTracerProvider(provider)
  context.setGlobalContextManager(new AsyncLocalStorageContextManager())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())

  registerInstrumentations({
    instrumentations: [
      new HttpInstrumentation({
        disableOutgoingRequestInstrumentation: true,
        ignoreIncomingRequestHook: ({ url = '' }) => NOT_TRACED.test(url),
        // What clients send may be confidential, and cursors are long.
        startIncomingSpanHook: () => ({ 'url.query': undefined }),
        applyCustomAttributesOnSpan: nameRoute,
      }),
      new PgInstrumentation({ requireParentSpan: true, ignoreConnectSpans: true }),
    ],
  })
  // Instruments `node:http`, which is loaded already: its classes are changed in place when it is required again.
  createRequire(import.meta.url)('node:http')
}

/** Names the span of a request by its route, as logs and metrics do. */
const nameRoute: HttpCustomAttributeFunction = (span, { method = '' }, response) => {
  const { route } = (response as { readonly locals?: { readonly route?: string } }).locals ?? {}
  if (route === undefined) return
  span.updateName(`${method} ${route}`)
  span.setAttribute('http.route', route)
}

function samplerOf({
  tracesSampler,
  tracesSamplerRatio,
}: Pick<Settings, 'tracesSampler' | 'tracesSamplerRatio'>): Sampler {
  const name = tracesSampler.replace('parentbased_', '')
  const root =
    name === 'traceidratio'
      ? new TraceIdRatioBasedSampler(tracesSamplerRatio)
      : name === 'always_off'
        ? new AlwaysOffSampler()
        : new AlwaysOnSampler()
  return name === tracesSampler ? root : new ParentBasedSampler({ root })
}

/** Sends what is left, and nothing afterwards. An unavailable collector does not make a stop fail. */
export async function stopTracing(onError: (error: unknown) => void): Promise<void> {
  await provider?.shutdown().catch(onError)
}
