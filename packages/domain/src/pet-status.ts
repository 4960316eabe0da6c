/** Every availability status, in the order of the interface document (section 2). */
export const PET_STATUSES = ['available', 'pending', 'sold'] as const

/** Availability of a pet. The document gives no transitions between the values. */
export type PetStatus = (typeof PET_STATUSES)[number]

/** Whether a value is one of the three statuses, letter for letter. */
export function isPetStatus(value: unknown): value is PetStatus {
  return (PET_STATUSES as readonly unknown[]).includes(value)
}
