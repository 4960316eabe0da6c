import { setGlobalErrorHandler } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Settings } from '../settings/settings.ts'
import { VERSION } from '../settings/version.ts'
import { createSpans, outsideTraces, type Spans } from './spans.ts'

/** How long a collector may take to respond. An unavailable one delays a stop by this time. */
const TIMEOUT_MS = 3_000

export interface Tracing extends Pick<Spans, 'listener' | 'useCases'> {
  readonly onStatement: Spans['onStatement'] | undefined
  /** Sends the remaining traces. Does not reject if the collector is unavailable. */
  close(): Promise<void>
}

/** Begins to send traces to a collector. Calls `onError` when some could not be sent. */
export function openTracing(settings: Settings, onError: (error: unknown) => void): Tracing {
  const url = `${settings.otlpEndpoint.replace(/\/$/, '')}/v1/traces`
  const share = shareOf(settings)
  const provider = new TracerProvider({
    // `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` take precedence.
    resource: resourceFromAttributes({
      'service.name': 'pet-store',
      'service.version': VERSION,
    }).merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(settings.tracesSampler, share),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url, timeoutMillis: TIMEOUT_MS }),
      }),
    ],
  })
  // Otherwise OpenTelemetry would write errors to its own log, which is off.
  setGlobalErrorHandler(outsideTraces(onError))
  return {
    ...createSpans(provider.getTracer('pet-store'), share),
    close: () => provider.shutdown().catch(onError),
  }
}

function shareOf({ tracesSampler, tracesSamplerRatio }: Settings): number {
  if (tracesSampler.endsWith('traceidratio')) return tracesSamplerRatio
  return tracesSampler.endsWith('always_off') ? 0 : 1
}

/**
 * Decides which requests that belong to a trace of their client are recorded: those whose client
 * records the trace, or a share by the id of the trace. Other requests are sampled in
 * `createSpans`, where a request that is not recorded costs neither ids nor a context.
 */
function samplerOf(name: Settings['tracesSampler'], share: number): ParentBasedSampler {
  const root = new AlwaysOnSampler()
  if (name.startsWith('parentbased_')) return new ParentBasedSampler({ root })
  const byId = new TraceIdRatioBasedSampler(share)
  return new ParentBasedSampler({ root, remoteParentSampled: byId, remoteParentNotSampled: byId })
}
