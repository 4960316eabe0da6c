/**
 * Does what a documented curl line says, with fetch: machines without curl test the lines too. Understands what our
 * documents use (`-H`, `-d`, `-X`, an address), and throws for anything else, so that no option is passed over.
 */
export async function curl(line: string): Promise<{ status: number; body: string; headers: Headers }> {
  const [command, ...words] = wordsOf(line)
  if (command !== 'curl') throw new Error(`not a curl line: ${line}`)
  const headers = new Headers()
  let address: string | undefined
  let body: string | undefined
  let method: string | undefined
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '-H') {
      const [, name = '', value = ''] = /^([^:]+): *(.*)$/.exec(words.shift() ?? '') ?? []
      headers.set(name, value)
    } else if (word === '-d') body = words.shift()
    else if (word === '-X') method = words.shift()
    else if (word.startsWith('http')) address = word
    else throw new Error(`this curl knows no ${word}`)
  }
  if (address === undefined) throw new Error(`no address in: ${line}`)
  method ??= body === undefined ? 'GET' : 'POST'
  const response = await fetch(address, { method, headers, ...(body !== undefined && { body }) })
  return { status: response.status, body: await response.text(), headers: response.headers }
}

/** Splits a line as a shell does: quotes keep words together. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'),
  )
}
