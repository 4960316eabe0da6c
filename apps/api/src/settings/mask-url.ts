/** A URL for people to see: without its password, and without the values of its parameters, which can be one too. */
export function maskUrl(text: string): string {
  if (text.startsWith('sqlite:')) return text
  if (!URL.canParse(text)) return '***'
  const { protocol, username, password, host, pathname, searchParams } = new URL(text)
  const user = username === '' ? '' : `${username}${password === '' ? '' : ':***'}@`
  const parameters = [...searchParams.keys()].map((name) => `${name}=***`).join('&')
  return `${protocol}//${user}${host}${pathname}${parameters === '' ? '' : `?${parameters}`}`
}
