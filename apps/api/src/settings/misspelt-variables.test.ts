import { expect, it } from 'vitest'
import { misspeltVariables } from './misspelt-variables.ts'

it.each([
  ['DATABASE_ULR', 'DATABASE_URL'],
  ['DATABASEURL', 'DATABASE_URL'],
  ['DATABSE_URL_FILE', 'DATABASE_URL_FILE'],
  ['PROT', 'PORT'],
  ['METRIC_PORT', 'METRICS_PORT'],
  ['RATE_LIMITS', 'RATE_LIMIT'],
])('recognises %s as a misspelt %s', (name, meant) => {
  expect(misspeltVariables({ [name]: 'x' })).toEqual([{ name, meant }])
})

it('does not suspect settings, their files, or unrelated variables', () => {
  const names = [
    'PORT',
    'DATABASE_URL_FILE',
    'PATH',
    'HOME',
    'HOSTNAME',
    'PWD',
    'POSTGRES_PASSWORD',
    'OTEL_SERVICE_NAME',
  ]
  expect(misspeltVariables(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([])
})
