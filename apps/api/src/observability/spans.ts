import { SpanStatusCode, trace } from '@opentelemetry/api'
import { setGlobalErrorHandler } from '@opentelemetry/core'
import { isPetError } from '@pet-store/domain'
import type { Instrumentation } from './instrumentation.ts'

const tracer = trace.getTracer('pet-store')

/** A span for each use case, and within it one for each operation of persistence. Spans hold no arguments or results. */
export const spans: Instrumentation = {
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

async function inSpan<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  return tracer.startActiveSpan(name, async (span) => {
    try {
      return await work()
    } catch (error) {
      // Messages repeat what clients sent, so a span gets the code alone. An error of the domain is not a failure.
      span.setAttribute('error.type', isPetError(error) ? error.code : typeOf(error))
      if (!isPetError(error)) span.setStatus({ code: SpanStatusCode.ERROR })
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

/** The active trace and span, for log lines; empty outside a trace. */
export function activeSpanIds(): { traceId?: string; spanId?: string } {
  const { traceId, spanId } = trace.getActiveSpan()?.spanContext() ?? {}
  return traceId === undefined || spanId === undefined ? {} : { traceId, spanId }
}

/** Reports spans that could not be sent. OpenTelemetry itself would only log them at its own level, which is off. */
export function reportExportErrors(onError: (error: unknown) => void): void {
  setGlobalErrorHandler(onError)
}
