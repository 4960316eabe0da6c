const MAX_CHARACTERS = 120

/**
 * A text as messages repeat it: in quotes, cut off when it is long, and without control characters,
 * which could change what a terminal shows.
 */
export function quote(text: string): string {
  const start = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text
  return JSON.stringify(start).replaceAll(/\p{Cc}/gu, escaped)
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
