import { expect } from 'vitest'
import { PetStoreError } from '../pet-store-error.ts'

/** The `PetStoreError` that this call rejects with. */
export async function rejectionOf(call: Promise<unknown>): Promise<PetStoreError> {
  const reason = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(reason).toBeInstanceOf(PetStoreError)
  return reason as PetStoreError
}
