import { expect, it } from 'vitest'
import { quote } from './quote.ts'

it.each([
  ['puts a text in quotes', 'kiosk Zürich', '"kiosk Zürich"'],
  ['escapes a line break', 'a\nb', String.raw`"a\nb"`],
  [
    'escapes what could colour a terminal',
    '\u001B[31m\u009B31m',
    String.raw`"\u001b[31m\u009b31m"`,
  ],
  ['cuts off what follows 120 characters', 'x'.repeat(121), `"${'x'.repeat(120)}…"`],
])('quote %s', (_, text, quoted) => {
  expect(quote(text)).toBe(quoted)
})
