/**
 * A value that `JSON.stringify` writes as this text. Every supported Node has it; TypeScript's
 * library does not declare it.
 */
export const rawJSON: (text: string) => unknown = (
  JSON as unknown as { rawJSON(text: string): unknown }
).rawJSON
