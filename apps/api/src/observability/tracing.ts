import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { registerInstrumentations } from '@opentelemetry/instrumentation'
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

/** How long a collector may take to respond, and how long an unavailable one delays a stop. */
const TIMEOUT_MS = 3_000

let provider: TracerProvider | undefined

/**
 * Sends traces to a collector from now on. Must run before the PostgreSQL driver is loaded. Spans of statements contain
 * no values.
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
    instrumentations: [new PgInstrumentation({ requireParentSpan: true, ignoreConnectSpans: true })],
  })
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
