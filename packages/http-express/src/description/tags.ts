/** The resources, which are the first part of each path, with what the description says of them. */
export const TAGS = { pets: 'The pets of the store.' } as const

export type Resource = keyof typeof TAGS
