/** How files of pets can be written. */
export const FORMATS = ['csv', 'ndjson'] as const
export type Format = (typeof FORMATS)[number]
