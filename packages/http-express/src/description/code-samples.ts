/**
 * A call of one operation as code, for reference pages. `source` is complete code that reads the
 * base address and the key from the environment variables `BASE_URL` and `API_KEY`.
 *
 * `x-template` is the same code for other requests. A page replaces `{{url}}` and `{{body}}`, and
 * in code for the client `{{baseUrl}}`, `{{apiKey}}` and `{{arguments}}`, by literals of the
 * language. It repeats the text between `{{#headers}}` and `{{/headers}}` for each header, and
 * replaces `{{name}}` and `{{value}}` in it, or `{{header}}`, which is both.
 */
export type CodeSample = Readonly<Record<'lang' | 'label' | 'source' | 'x-template', string>>

interface SampledOperation {
  readonly operationId: string
  readonly method: string
  readonly path: string
  /** An example; absent if the operation takes no body. */
  readonly body?: object | undefined
}

export function codeSamples(operation: SampledOperation): readonly CodeSample[] {
  return [
    { lang: 'shell', label: 'curl', ...curlSample(operation) },
    { lang: 'typescript', label: 'TypeScript', ...typeScriptSample(operation) },
    { lang: 'python', label: 'Python', ...pythonSample(operation) },
    { lang: 'go', label: 'Go', ...goSample(operation) },
  ]
}

type Sample = Pick<CodeSample, 'source' | 'x-template'>

function curlSample({ method, path, body }: SampledOperation): Sample {
  const verb = method.toUpperCase()
  // curl chooses these methods by itself.
  const option = verb === (body ? 'POST' : 'GET') ? '' : `-X ${verb} `
  const write = (url: string, headers: string, data: string) =>
    `curl ${option}${url}${headers}${body ? ` \\\n  -d ${data}` : ''}`
  const key = ` \\\n  -H "Authorization: Bearer $API_KEY"`
  const type = body ? ` \\\n  -H 'Content-Type: application/json'` : ''
  return {
    source: write(`"$BASE_URL${exampleOf(path)}"`, key + type, `'${JSON.stringify(body)}'`),
    'x-template': write('{{url}}', '{{#headers}} \\\n  -H {{header}}{{/headers}}', '{{body}}'),
  }
}

/** Uses the client of the service, which keeps integers exact. */
function typeScriptSample({ operationId, path, body }: SampledOperation): Sample {
  const write = (baseUrl: string, apiKey: string, values: string) =>
    `import { createPetStoreClient } from '@pet-store/client'

const client = createPetStoreClient({
  baseUrl: ${baseUrl},
  apiKey: ${apiKey},
})
console.log(await client.${operationId}(${values}))`
  const fromEnvironment = (name: string) => `\`\${process.env['${name}']}\``
  const ids = [...path.matchAll(/\{/g)].map(() => '1n')
  const values = [...ids, ...(body ? [JSON.stringify(body)] : [])]
  return {
    source: write(fromEnvironment('BASE_URL'), fromEnvironment('API_KEY'), values.join(', ')),
    'x-template': write('{{baseUrl}}', '{{apiKey}}', '{{arguments}}'),
  }
}

function pythonSample({ method, path, body }: SampledOperation): Sample {
  const sent = (data: string) => (body ? `request.data = ${data}.encode()\n` : '')
  const write = (url: string, headers: string, data: string) => `import urllib.request

request = urllib.request.Request(${url}, method="${method.toUpperCase()}")
${headers}${sent(data)}with urllib.request.urlopen(request) as response:
    print(response.read().decode())`
  const key = 'request.add_header("Authorization", "Bearer " + os.environ["API_KEY"])\n'
  const type = body ? 'request.add_header("Content-Type", "application/json")\n' : ''
  const url = `os.environ["BASE_URL"] + "${exampleOf(path)}"`
  return {
    source: `import os\n${write(url, key + type, `'${JSON.stringify(body)}'`)}`,
    'x-template': write(
      '{{url}}',
      '{{#headers}}request.add_header({{name}}, {{value}})\n{{/headers}}',
      '{{body}}',
    ),
  }
}

function goSample({ method, path, body }: SampledOperation): Sample {
  const stop = '\tif err != nil {\n\t\tlog.Fatal(err)\n\t}'
  const verb = method.toUpperCase()
  const sent = (data: string) => (body ? `strings.NewReader(${data})` : 'nil')
  const write = (url: string, headers: string, data: string) => `package main

import (
\t"io"
\t"log"
\t"net/http"
\t"os"${body ? '\n\t"strings"' : ''}
)

func main() {
\trequest, err := http.NewRequest("${verb}", ${url}, ${sent(data)})
${stop}
${headers}\tresponse, err := http.DefaultClient.Do(request)
${stop}
\tdefer response.Body.Close()
\tio.Copy(os.Stdout, response.Body)
}`
  const key = '\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))\n'
  const type = body ? '\trequest.Header.Set("Content-Type", "application/json")\n' : ''
  const url = `os.Getenv("BASE_URL")+"${exampleOf(path)}"`
  return {
    source: write(url, key + type, `\`${JSON.stringify(body)}\``),
    'x-template': write(
      '{{url}}',
      '{{#headers}}\trequest.Header.Set({{name}}, {{value}})\n{{/headers}}',
      '{{body}}',
    ),
  }
}

/** A path with 1 for each of its parameters. */
function exampleOf(path: string): string {
  return path.replace(/\{\w+\}/g, '1')
}
