import { expect, it } from 'vitest'
import { fillTemplate } from './fill-template.ts'

it('a template is filled in at each placeholder, and repeated for each header', () => {
  const template = 'get({{url}}{{#headers}}, {{name}}={{value}}{{/headers}}) {{url}}'
  const headers = [
    { name: 'A', value: '1' },
    { name: 'B', value: '2' },
  ]
  expect(fillTemplate(template, { url: '/pets' }, headers)).toBe('get(/pets, A=1, B=2) /pets')
  expect(fillTemplate(template, { url: '/pets' }, [])).toBe('get(/pets) /pets')
})

it('what is filled into a template is not read as a placeholder', () => {
  const values = { url: '{{body}} $& $1', body: '}}' }
  expect(fillTemplate('{{url}} {{body}}', values, [])).toBe('{{body}} $& $1 }}')
})
