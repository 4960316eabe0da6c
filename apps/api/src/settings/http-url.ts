/** Whether a text is the address of something that speaks HTTP. */
export function isHttpUrl(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text)
}
