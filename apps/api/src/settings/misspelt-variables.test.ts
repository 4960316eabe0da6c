import { expect, it } from 'vitest'
import { misspeltVariables } from './misspelt-variables.ts'

it.each([
  ['DATABASE_ULR', 'DATABASE_URL'],
  ['DATABASEURL', 'DATABASE_URL'],
  ['DATABSE_URL_FILE', 'DATABASE_URL_FILE'],
  ['PROT', 'PORT'],
  ['METRIC_PORT', 'METRICS_PORT'],
  ['RATE_LIMITS', 'RATE_LIMIT'],
  ['database_url', 'DATABASE_URL'],
  ['DATABASE_REPLICA', 'DATABASE_REPLICA_URLS'],
  ['API_KEYS', 'API_KEYS_SHA256'],
])('the variable %s is recognised as a misspelt %s', (name, meant) => {
  expect(misspeltVariables({ [name]: 'x' })).toEqual([{ name, meant }])
})

it('settings, their files and unrelated variables are not misspelt', () => {
  const settings = ['PORT', 'DATABASE_URL_FILE']
  const others = [
    'HOSTNAME',
    'PWD',
    'POSTGRES_PASSWORD',
    'OTEL_SERVICE_NAME',
    'API_KEY',
    'LOG',
    'DATABASE_PATH',
  ]
  expect(
    misspeltVariables(Object.fromEntries([...settings, ...others].map((name) => [name, 'x']))),
  ).toEqual([])
})
