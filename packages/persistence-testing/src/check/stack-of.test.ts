import { expect, it } from 'vitest'
import { stackOf } from './stack-of.ts'

it('stackOf shows the lines of an adapter, and none of what has called it', () => {
  const persistence = '/app/node_modules/@pet-store/persistence/dist'
  const lines = (module: string) => [
    'Error: too great',
    '    at find (file:///app/adapter.js:2:3)',
    `    at guard (file://${persistence}/index.js:7:1)`,
    ...(module === '' ? [] : [`    at open (file://${persistence}/${module}.js:59:88)`]),
  ]
  const stack = [
    ...lines('persistence-module'),
    `    at run (${import.meta.url}:1:1)`,
    '    at process.processTimers (node:internal/timers:618:7)',
  ]
  const error = Object.assign(new Error('too great'), { stack: stack.join('\n') })
  expect(stackOf(error).split('\n')).toEqual(lines(''))
  expect(stackOf('too great')).toBe("'too great'")
})
