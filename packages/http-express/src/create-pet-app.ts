import type { RequestListener } from 'node:http'
import { createExpressApp } from './create-express-app.ts'
import { fastPath } from './fast-path.ts'
import { operationSteps } from './operation-steps.ts'
import type { PetAppOptions } from './pet-app-options.ts'

/**
 * The interface document as a listener for requests: an Express app, and before it a fast path for the operations.
 * Listening is left to the caller; see `createPetServer`.
 */
export function createPetApp(options: PetAppOptions): RequestListener {
  const steps = operationSteps(options)
  const app = createExpressApp(options, steps)
  return options.hasFastPath === false ? app : fastPath(steps, app)
}
