/** The request of a curl line. */
export interface CurlRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** Sends the request of a documented curl line by fetch, since a machine may have no curl. */
export async function curl(
  line: string,
): Promise<{ status: number; body: string; headers: Headers }> {
  const { url, method, headers, body } = curlRequest(line)
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) })
  return { status: response.status, body: await response.text(), headers: response.headers }
}

/**
 * Reads a curl line. Understands what the documents use (`-H`, `-d`, `-X`, `-w`, an address), and
 * throws for anything else, so that no option is ignored.
 */
export function curlRequest(line: string): CurlRequest {
  const [command, ...words] = wordsOf(line)
  if (command !== 'curl') throw new Error(`not a curl line: ${line}`)
  const headers: Record<string, string> = {}
  let url: string | undefined
  let body: string | undefined
  let method: string | undefined
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '-H') {
      const [, name = '', value = ''] = /^([^:]+): *(.*)$/.exec(words.shift() ?? '') ?? []
      headers[name] = value
    } else if (word === '-d') body = words.shift()
    else if (word === '-X') method = words.shift()
    // Prints a line feed behind the body, so that the prompt is on a line of its own.
    else if (word === '-w') words.shift()
    else if (word.startsWith('http')) url = word
    else throw new Error(`this curl knows no ${word}`)
  }
  if (url === undefined) throw new Error(`no address in: ${line}`)
  return { method: method ?? (body === undefined ? 'GET' : 'POST'), url, headers, body }
}

/** Splits a line as a shell does: quotes keep words together, a backslash continues the line. */
function wordsOf(line: string): string[] {
  return [...line.replaceAll('\\\n', ' ').matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'),
  )
}
