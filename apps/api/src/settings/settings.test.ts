import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { contradictionsIn } from './contradictions.ts'
import { SETTING_LIST } from './settings.ts'

it('the documents list every setting with its default and meaning', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
  const rows = SETTING_LIST.map(({ variable, default: text, meaning }) => {
    return `| \`${variable}\` | ${text === undefined ? '' : `\`${text}\` `}| ${meaning} |`
  })
  expect(readme.split('\n').filter((line) => /^\| `[A-Z_0-9]+` /.test(line))).toEqual(rows)

  const secrets = SETTING_LIST.filter(({ isSecret }) => isSecret).map(
    ({ variable }) => `\`${variable}_FILE\``,
  )
  expect(/^Secrets can come from files:\s(.*)\.$/m.exec(readme)?.[1]).toBe(secrets.join(', '))

  const example = await readFile(new URL('../../../../.env.example', import.meta.url), 'utf8')
  const lines = SETTING_LIST.map(({ variable, default: text = '' }) => `# ${variable}=${text}`)
  expect(example.split('\n').filter((line) => /^# [A-Z_0-9]+=/.test(line))).toEqual(lines)
})

it.each([
  [{ port: 0 }, 'REUSE_PORT must be false if PORT is 0'],
  [
    { port: 3000, databaseUrl: 'sqlite::memory:', persistenceModule: '' },
    'REUSE_PORT must be false if DATABASE_URL is sqlite::memory:, because each process would ' +
      'have pets of its own',
  ],
])('a shared port needs a number, and a database that processes share: %j', (settings, mistake) => {
  expect([...contradictionsIn({ ...settings, reusePort: true })]).toEqual([mistake])
  expect([...contradictionsIn({ ...settings, reusePort: false })]).toEqual([])
})
