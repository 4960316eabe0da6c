import { SpanStatusCode, trace } from '@opentelemetry/api'
import { isPetError } from '@pet-store/domain'
import { noObserver, type Observer } from './observer.ts'

const tracer = trace.getTracer('pet-store')

/** A span for each use case, and within it one for each operation of storage. Of what is asked nothing is told. */
export const tracingObserver: Observer = {
  ...noObserver,
  useCases: ({ createPet, getPet, listPets }) => ({
    createPet: (...given) => inSpan('createPet', () => createPet(...given)),
    getPet: (id) => inSpan('getPet', () => getPet(id)),
    listPets: (query) => inSpan('listPets', () => listPets(query)),
  }),
  repository: (pets) => ({
    add: (pet, cancellation) => inSpan('PetRepository.add', () => pets.add(pet, cancellation)),
    addWithKey: (...given) => inSpan('PetRepository.addWithKey', () => pets.addWithKey(...given)),
    find: (id) => inSpan('PetRepository.find', () => pets.find(id)),
    list: (query) => inSpan('PetRepository.list', () => pets.list(query)),
  }),
}

function inSpan<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  return tracer.startActiveSpan(name, async (span) => {
    try {
      return await work()
    } catch (error) {
      // Messages repeat what was sent, so a span has the code alone. What the domain has a word for is no fault.
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
