import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { QUOTES, typeScriptLiteral } from './literals.ts'

const HARD = `it's "two\\words" \`and\` $HOME\nand a {{line}} שלום`

it('a text is the same in a shell, in JavaScript and in Go, whatever is in it', () => {
  const run = (command: string, ...args: string[]) => execFileSync(command, args).toString()
  expect(run('sh', '-c', `printf %s ${QUOTES['shell']?.(HARD)}`)).toBe(HARD)
  const script = `process.stdout.write(${QUOTES['typescript']?.(HARD)})`
  expect(run(process.execPath, '--eval', script)).toBe(HARD)
  for (const text of [HARD, 'plain', 'it’s "here"'])
    expect(
      JSON.parse(QUOTES['go']?.(text).replace(/^`(.*)`$/s, (_, raw) => JSON.stringify(raw)) ?? ''),
    ).toBe(text)
})

it('JSON is a literal of TypeScript with every digit of its integers', () => {
  const json = '{"name":"Rex\'s","categoryId":9223372036854775807,"a-b":[1.5,true,null]}'
  expect(typeScriptLiteral(json)).toBe(
    `{ name: 'Rex\\'s', categoryId: 9223372036854775807n, 'a-b': [1.5, true, null] }`,
  )
  expect(typeScriptLiteral('{"name":')).toBe('{"name":')
})
