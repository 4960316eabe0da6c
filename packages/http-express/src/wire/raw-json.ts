/**
 * `JSON.rawJSON`: makes a value that `JSON.stringify` writes as the given text. Every supported
 * Node has it, but TypeScript's library does not declare it.
 */
export const rawJSON: (text: string) => unknown = (
  JSON as unknown as { rawJSON(text: string): unknown }
).rawJSON
