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

/** How long a collector may take to respond, and how long an unavailable one delays a stop. */
const TIMEOUT_MS = 3_000

export interface Tracing extends Pick<Spans, 'listener' | 'useCases'> {
  readonly onStatement: Spans['onStatement'] | undefined
  /** Sends what is left. An unavailable collector does not make it reject. */
  close(): Promise<void>
}

/** Sends traces to a collector from now on. Calls `onError` when some could not be sent. */
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
  // OpenTelemetry itself would only log them at its own level, which is off.
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
 * Decides for requests within a trace of their client, by it or by its id. Those without one are
 * drawn by lot in `createSpans` instead, where one that is not drawn costs neither ids nor a
 * context.
 */
function samplerOf(name: Settings['tracesSampler'], share: number): ParentBasedSampler {
  const root = new AlwaysOnSampler()
  if (name.startsWith('parentbased_')) return new ParentBasedSampler({ root })
  const byId = new TraceIdRatioBasedSampler(share)
  return new ParentBasedSampler({ root, remoteParentSampled: byId, remoteParentNotSampled: byId })
}
