/** How files of animals can be written. */
export const FORMATS = ['csv', 'ndjson'] as const
export type Format = (typeof FORMATS)[number]
