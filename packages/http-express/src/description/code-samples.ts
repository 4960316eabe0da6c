export type CodeSample = Readonly<Record<'lang' | 'label' | 'source', string>>

/**
 * One operation as code, for reference pages (`x-codeSamples`). The samples read base address and
 * key from the variables `BASE_URL` and `API_KEY`.
 */
export function codeSamples(
  method: string,
  path: string,
  exampleBody?: object,
): readonly CodeSample[] {
  const verb = method.toUpperCase()
  const target = path.replace(/\{\w+\}/g, '1')
  const body = exampleBody === undefined ? '' : JSON.stringify(exampleBody)
  return [
    { lang: 'shell', label: 'curl', source: curlSample(verb, target, body) },
    { lang: 'typescript', label: 'TypeScript', source: typeScriptSample(verb, target, body) },
    { lang: 'python', label: 'Python', source: pythonSample(verb, target, body) },
    { lang: 'go', label: 'Go', source: goSample(verb, target, body) },
  ]
}

function curlSample(verb: string, target: string, body: string): string {
  // What curl sends by itself.
  const method = verb === (body ? 'POST' : 'GET') ? '' : ` -X ${verb}`
  const data = body && ` \\\n  -H 'Content-Type: application/json' -d '${body}'`
  return `curl${method} -H "Authorization: Bearer $API_KEY"${data} "$BASE_URL${target}"`
}

function typeScriptSample(verb: string, target: string, body: string): string {
  const type = body && ", 'Content-Type': 'application/json'"
  const data = body && `\n  body: '${body}',`
  return `const response = await fetch(\`\${process.env.BASE_URL}${target}\`, {
  method: '${verb}',
  headers: { Authorization: \`Bearer \${process.env.API_KEY}\`${type} },${data}
})
// JSON.parse would round integers beyond 2^53; the client of this service does not.
console.log(response.status, await response.text())`
}

function pythonSample(verb: string, target: string, body: string): string {
  const type = body && ', "Content-Type": "application/json"'
  const data = body && `, data=b'${body}'`
  return `import os, urllib.request

request = urllib.request.Request(
    os.environ["BASE_URL"] + "${target}", method="${verb}"${data},
    headers={"Authorization": "Bearer " + os.environ["API_KEY"]${type}})
with urllib.request.urlopen(request) as response:
    print(response.read().decode())`
}

function goSample(verb: string, target: string, body: string): string {
  const strings = body && '\n\t"strings"'
  const reader = body ? `strings.NewReader(\`${body}\`)` : 'nil'
  const type = body && '\n\trequest.Header.Set("Content-Type", "application/json")'
  const stop = '\tif err != nil {\n\t\tlog.Fatal(err)\n\t}'
  return `package main

import (
\t"io"
\t"log"
\t"net/http"
\t"os"${strings}
)

func main() {
\trequest, err := http.NewRequest("${verb}", os.Getenv("BASE_URL")+"${target}", ${reader})
${stop}
\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))${type}
\tresponse, err := http.DefaultClient.Do(request)
${stop}
\tdefer response.Body.Close()
\tio.Copy(os.Stdout, response.Body)
}`
}
