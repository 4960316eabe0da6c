/** One request of a `.http` file. */
export interface FileRequest {
  readonly title: string
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** The status, and for an error its code, of the comment `# Expect` above the request. */
  readonly expected: { readonly status: number; readonly code?: string }
}

/**
 * Reads the parts of the `.http` format that our file uses: `@name = value` at its head, which may
 * use names above it, `###` between requests, `#` before comments, an empty line before a body.
 * Throws for a request without an expectation, and for anything else that it cannot read.
 */
export function readHttpFile(
  text: string,
  given: Readonly<Record<string, string>>,
): readonly FileRequest[] {
  const [head = '', ...parts] = text.split(/^###/m)
  const variables: Record<string, string> = {}
  const filled = (part: string) =>
    part.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
      const value = variables[name]
      if (value === undefined) throw new Error(`the file declares no ${name}`)
      return value
    })
  for (const [, name = '', value = ''] of head.matchAll(/^@(\w+) = (.+)$/gm))
    variables[name] = given[name] ?? filled(value)
  const unknown = Object.keys(given).filter((name) => !(name in variables))
  if (unknown.length > 0) throw new Error(`the file declares no ${unknown.join(', ')}`)
  return parts.map((part) => readRequest(filled(part)))
}

function readRequest(part: string): FileRequest {
  const [, title = '', comments = '', request = ''] =
    /^ ([^\n]+)\n((?:#[^\n]*\n)*)(.*)$/s.exec(part) ?? []
  const [, status, code] = /^# Expect (\d{3})(?: ([a-z_]+))?$/m.exec(comments) ?? []
  const [, top = '', body] = /^(.*?)(?:\n\n(.*))?$/s.exec(request.trimEnd()) ?? []
  const [line = '', ...headerLines] = top.split('\n')
  const [, method, url] = /^([A-Z]+) (\S+)$/.exec(line) ?? []
  if (status === undefined || method === undefined || url === undefined)
    throw new Error(`cannot read "${part}"`)
  const headers = headerLines.map((each) => {
    const [, name, value] = /^([\w-]+): (.+)$/.exec(each) ?? []
    if (name === undefined) throw new Error(`no header: ${each}`)
    return [name, value]
  })
  return {
    title,
    method,
    url,
    headers: Object.fromEntries(headers),
    ...(body !== undefined && { body }),
    expected: { status: Number(status), ...(code !== undefined && { code }) },
  }
}
