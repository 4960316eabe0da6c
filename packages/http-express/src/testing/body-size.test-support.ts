/** The greatest body, in bytes. */
export const MAX = 102_400

/** A good body of exactly so many bytes. */
export function petOf(bytes: number): string {
  const rest = bytes - '{"name":"Rex","categoryId":1,"pad":""}'.length
  return `{"name":"Rex","categoryId":1,"pad":"${'x'.repeat(rest)}"}`
}
