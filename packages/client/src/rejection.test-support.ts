import { expect } from 'vitest'
import { PetStoreError } from './pet-store-error.ts'

/** The error that this call rejects with, which must be one of the client's. */
export async function rejectionOf(call: Promise<unknown>): Promise<PetStoreError> {
  const reason = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(reason).toBeInstanceOf(PetStoreError)
  return reason as PetStoreError
}
