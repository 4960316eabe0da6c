import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { filesNamedFor, ON_NODE } from './files-named.test-support.ts'

const HOW_TO = readFileSync(join(import.meta.dirname, '../docs/how-to/add-an-operation.md'), 'utf8')

/** The files that the how-to says the compiler names, without those that are new. */
function filesInHowTo(heading: string): readonly string[] {
  const [, section = ''] = HOW_TO.split(`## ${heading}\n`)
  const [table = ''] = section.split(/^## /m)
  const rows = table.split('\n').filter((line) => line.endsWith('| `pnpm types` |'))
  return rows.flatMap((row) => /`([^`]+[.]ts)`/.exec(row.split('|')[2] ?? '')?.[1] ?? []).sort()
}

it('a new function of the database does not compile until every file of the how-to has it', () => {
  const named = filesNamedFor({
    file: 'packages/domain/src/pet-repository.ts',
    interfaces: ['PetRepository'],
    member: 'anotherFunction(): Promise<void>',
    sources:
      '{packages/{domain,persistence,persistence-mikro-orm,persistence-sqlite,' +
      'persistence-postgres,persistence-testing},examples/persistence-adapter}' +
      '/src/**/*.ts',
    compilerOptions: ON_NODE,
  })
  const inHowTo = filesInHowTo('A new function of the database')
  expect(named.map((file) => file.replace('packages/', '')).sort()).toEqual(
    // Its own rows are in the file that has the port.
    ['domain/src/pet-repository.ts', ...inHowTo].sort(),
  )
})

it('a new use case does not compile until the file of the how-to has it', () => {
  const named = filesNamedFor({
    file: 'packages/domain/src/pet-use-cases.ts',
    interfaces: ['PetUseCases'],
    member: 'readonly anotherUseCase: () => Promise<void>',
    sources: '{packages/{domain,http-express},apps/api}/src/**/*.ts',
    compilerOptions: ON_NODE,
  })
  expect(named.map((file) => basename(file))).toEqual(
    filesInHowTo('The operation').map((file) => basename(file)),
  )
})
