import { trace } from '@opentelemetry/api'

/** Names the trace and the span that a log line belongs to; nothing outside a trace. */
export function traceIds(): { traceId?: string; spanId?: string } {
  const { traceId, spanId } = trace.getActiveSpan()?.spanContext() ?? {}
  return traceId === undefined || spanId === undefined ? {} : { traceId, spanId }
}
