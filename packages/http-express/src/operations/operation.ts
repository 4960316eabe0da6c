import type { PetUseCases } from '@pet-store/domain'
import type { Declaration } from '../description/declaration.ts'
import type { Handler } from '../request/handler.ts'
import type { WriteSentences } from '../response/context.ts'
import type { References } from './references.ts'

/** One operation under `/v1`: its declaration, and the handler that carries it out. */
export type Operation = Declaration & (Read | Write) & { readonly createHandler: CreateHandler }

interface Read {
  readonly method: 'get'
}

interface Write {
  readonly method: 'post' | 'put' | 'patch' | 'delete'
  /** What a 503 says of the write. */
  readonly on503: WriteSentences
}

/** Makes the handler, once for each app: it parses, calls, serialises and sends. */
type CreateHandler = (parts: OperationParts) => Handler

/** What handlers are made of. */
export interface OperationParts {
  readonly pets: PetUseCases
  readonly nowMs: () => number
  readonly references: References
}
