/** A request as code, for reference pages (`x-codeSamples`). */
export interface CodeSample {
  readonly lang: string
  readonly label: string
  readonly source: string
}

/** Samples of one operation. They read base address and key from the variables `BASE_URL` and `API_KEY`. */
export function codeSamples(method: string, path: string, exampleBody?: object): readonly CodeSample[] {
  const verb = method.toUpperCase()
  const target = path.replace(/\{\w+\}/g, '1')
  const body = exampleBody === undefined ? undefined : JSON.stringify(exampleBody)
  return [
    { lang: 'shell', label: 'curl', source: curlSample(verb, target, body) },
    { lang: 'typescript', label: 'TypeScript', source: typeScriptSample(verb, target, body) },
    { lang: 'python', label: 'Python', source: pythonSample(verb, target, body) },
    { lang: 'go', label: 'Go', source: goSample(verb, target, body) },
  ]
}

function curlSample(verb: string, target: string, body: string | undefined): string {
  // What curl sends by itself.
  const method = verb === (body === undefined ? 'GET' : 'POST') ? '' : ` -X ${verb}`
  const data = body === undefined ? '' : ` \\\n  -H 'Content-Type: application/json' -d '${body}'`
  return `curl${method} -H "Authorization: Bearer $API_KEY"${data} "$BASE_URL${target}"`
}

function typeScriptSample(verb: string, target: string, body: string | undefined): string {
  const headers = [`Authorization: \`Bearer \${process.env.API_KEY}\``]
  if (body !== undefined) headers.push("'Content-Type': 'application/json'")
  const options = [`method: '${verb}'`, `headers: { ${headers.join(', ')} }`]
  if (body !== undefined) options.push(`body: '${body}'`)
  return [
    `const response = await fetch(\`\${process.env.BASE_URL}${target}\`, {`,
    ...options.map((option) => `  ${option},`),
    '})',
    '// JSON.parse would round integers beyond 2^53; the client of this service does not.',
    'console.log(response.status, await response.text())',
  ].join('\n')
}

function pythonSample(verb: string, target: string, body: string | undefined): string {
  const type = body === undefined ? '' : ', "Content-Type": "application/json"'
  const data = body === undefined ? '' : `, data=b'${body}'`
  return [
    'import os, urllib.request',
    '',
    'request = urllib.request.Request(',
    `    os.environ["BASE_URL"] + "${target}", method="${verb}"${data},`,
    `    headers={"Authorization": "Bearer " + os.environ["API_KEY"]${type}})`,
    'with urllib.request.urlopen(request) as response:',
    '    print(response.read().decode())',
  ].join('\n')
}

function goSample(verb: string, target: string, body: string | undefined): string {
  const imports = ['io', 'log', 'net/http', 'os', ...(body === undefined ? [] : ['strings'])]
  const reader = body === undefined ? 'nil' : `strings.NewReader(\`${body}\`)`
  const type = body === undefined ? [] : ['\trequest.Header.Set("Content-Type", "application/json")']
  const stop = ['\tif err != nil {', '\t\tlog.Fatal(err)', '\t}']
  return [
    'package main',
    '',
    'import (',
    ...imports.map((name) => `\t"${name}"`),
    ')',
    '',
    'func main() {',
    `\trequest, err := http.NewRequest("${verb}", os.Getenv("BASE_URL")+"${target}", ${reader})`,
    ...stop,
    '\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))',
    ...type,
    '\tresponse, err := http.DefaultClient.Do(request)',
    ...stop,
    '\tdefer response.Body.Close()',
    '\tio.Copy(os.Stdout, response.Body)',
    '}',
  ].join('\n')
}
