import { answerError } from './answer-error.ts'
import { clientAddressOf } from './client-address.ts'
import { allowOrigins } from './cross-origin.ts'
import { deprecationHeaders } from './deprecation.ts'
import type { ErrorHandler, Handler } from './handler.ts'
import { limitRate } from './limit-rate.ts'
import { openRequest } from './open-request.ts'
import type { OperationHandlers } from './operation-handlers.ts'
import type { PetAppOptions } from './pet-app-options.ts'
import { petHandlers } from './pet-handlers.ts'
import { referencesFrom } from './references.ts'
import { requireBearer } from './require-bearer.ts'
import { securityHeaders } from './security-headers.ts'

/** What a request for an operation goes through, in this order, whichever way it takes. */
export interface OperationSteps {
  /** The first step of every request. */
  readonly open: Handler
  /** Other origins, where there are any, and the key. */
  readonly admit: readonly Handler[]
  /** How often a key may be used, where that is limited. */
  readonly limit: readonly Handler[]
  readonly operations: OperationHandlers
  /** What the answers of deprecated operations say of that. */
  readonly deprecation: readonly string[]
  /** Where every error ends. */
  readonly answerError: ErrorHandler
}

export function operationSteps(options: PetAppOptions): OperationSteps {
  const {
    tokenCheck,
    onMissingKey,
    rateLimiting,
    pets,
    now,
    log,
    publicUrl,
    corsOrigins = [],
    trustProxy = 0,
  } = options
  const references = referencesFrom(publicUrl)
  return {
    open: openRequest(log, securityHeaders(publicUrl), clientAddressOf(trustProxy)),
    admit: [...(corsOrigins.length > 0 ? [allowOrigins(corsOrigins)] : []), requireBearer(tokenCheck, onMissingKey)],
    limit: rateLimiting === undefined ? [] : [limitRate(rateLimiting)],
    operations: petHandlers(pets, now, references),
    deprecation: deprecationHeaders(references.docs),
    answerError: answerError(log),
  }
}
