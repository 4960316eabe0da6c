import { register } from 'node:module'
import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { registerInstrumentations } from '@opentelemetry/instrumentation'
import { ExpressInstrumentation, ExpressLayerType } from '@opentelemetry/instrumentation-express'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'

/** What nobody traces: whoever runs the service asks for these every few seconds. */
const HEALTH = /^\/(?:livez|readyz)$/

/** How long a collector may take to answer, and so how long one that is away delays a stop, in milliseconds. */
const TIMEOUT_MS = 3_000

let provider: TracerProvider | undefined

/**
 * Sends traces to a collector from now on. Must run before Express and the driver of PostgreSQL are loaded. What the
 * instrumentations would say of headers, bodies and the values of statements stays off.
 */
export function startTracing(endpoint: string): void {
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`
  provider = new TracerProvider({
    // `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` win.
    resource: resourceFromAttributes({ 'service.name': 'pet-store' }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url, timeoutMillis: TIMEOUT_MS }) })],
  })
  trace.setGlobalTracerProvider(provider)
  context.setGlobalContextManager(new AsyncLocalStorageContextManager())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())

  // An ES module cannot be changed once it is loaded; this changes those that are named while they are.
  register('@opentelemetry/instrumentation/hook.mjs', import.meta.url, {
    data: { include: ['http', 'node:http', 'express', 'pg'] },
  })
  registerInstrumentations({
    instrumentations: [
      new HttpInstrumentation({
        disableOutgoingRequestInstrumentation: true,
        ignoreIncomingRequestHook: ({ url = '' }) => HEALTH.test(url),
      }),
      // A span for each route; the functions before it would be a dozen more that say nothing.
      new ExpressInstrumentation({ ignoreLayersType: [ExpressLayerType.MIDDLEWARE, ExpressLayerType.ROUTER] }),
      new PgInstrumentation({ requireParentSpan: true, ignoreConnectSpans: true }),
    ],
  })
}

/** Sends what is left, and no more afterwards. */
export async function stopTracing(): Promise<void> {
  // A collector that is away is no reason for a failed stop.
  await provider?.shutdown().catch(() => {})
}
