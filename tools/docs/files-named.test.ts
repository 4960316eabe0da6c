import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { ROOT } from '../root.ts'
import { type Addition, filesNamedFor } from './files-named.test-support.ts'

const field = 'readonly anotherField?: string | undefined'

const FIELD: Addition = {
  file: 'packages/domain/src/pet.ts',
  interfaces: ['PetInput'],
  member: field,
}

const FUNCTION: Addition = {
  file: 'packages/domain/src/pet-repository.ts',
  interfaces: ['PetRepository'],
  member: 'anotherFunction(): Promise<void>',
}

const USE_CASE: Addition = {
  file: 'packages/domain/src/pet-use-cases.ts',
  interfaces: ['PetUseCases'],
  member: 'readonly anotherUseCase: () => Promise<void>',
}

const FIELD_OF_THE_CLIENT: Addition = {
  file: 'packages/client/src/pet-json.ts',
  interfaces: ['NewPet', 'Pet'],
  member: field,
}

/** Every file that lists the fields, as docs/how-to/add-a-field.md names them. */
const LIST_THE_FIELDS = [
  // The rule, its part of the fingerprint, and how files have it.
  'packages/domain/src/pet.ts',
  // The request body and the response.
  'packages/http-express/src/wire/pet-json.ts',
  // Its column and its position in rows, also of bulk work.
  'packages/persistence-mikro-orm/src/entities/pet-columns.ts',
  'packages/persistence-mikro-orm/src/entities/pet-entity.ts',
  // The contract.
  'packages/persistence-testing/src/pet-cases/fields.ts',
]

const HOW_TO = readFileSync(join(ROOT, 'docs/how-to/add-an-operation.md'), 'utf8')

/** The files that the how-to says the compiler names, without those that are new. */
function filesInHowTo(heading: string): readonly string[] {
  const [, section = ''] = HOW_TO.split(`## ${heading}\n`)
  const [table = ''] = section.split(/^## /m)
  const rows = table.split('\n').filter((line) => line.endsWith('| `pnpm types` |'))
  return rows.flatMap((row) => /`([^`]+[.]ts)`/.exec(row.split('|')[2] ?? '')?.[1] ?? []).sort()
}

let named: (addition: Addition) => readonly string[]
beforeAll(() => {
  named = filesNamedFor(
    [FIELD, FUNCTION, USE_CASE],
    '{packages/{domain,http-express,persistence,persistence-mikro-orm,persistence-sqlite,' +
      'persistence-postgres,persistence-testing},apps/api,examples/persistence-adapter}' +
      '/src/**/*.ts',
    { types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] },
  )
})

it('a new field of a pet does not compile until every file that lists the fields has it', () => {
  expect(named(FIELD)).toEqual(LIST_THE_FIELDS)
})

it('a new function of the database does not compile until every file of the how-to has it', () => {
  const inHowTo = filesInHowTo('A new function of the database')
  expect(
    named(FUNCTION)
      .map((file) => file.replace('packages/', ''))
      .sort(),
  ).toEqual(
    // Its own rows are in the file that has the port.
    ['domain/src/pet-repository.ts', ...inHowTo].sort(),
  )
})

it('a new use case does not compile until the file of the how-to has it', () => {
  expect(named(USE_CASE).map((file) => basename(file))).toEqual(
    filesInHowTo('The operation').map((file) => basename(file)),
  )
})

it('a new field of the client does not compile until every list of the pages has it', () => {
  const namedInPages = filesNamedFor(
    [FIELD_OF_THE_CLIENT],
    'packages/pages/src/{fields,browser,store,reference}/*.ts',
    { types: [], lib: ['ES2023', 'DOM', 'DOM.Iterable'] },
  )
  expect(namedInPages(FIELD_OF_THE_CLIENT)).toEqual([
    // Its title, and its input.
    'packages/pages/src/fields/pet-fields.ts',
    // How it is read from the form.
    'packages/pages/src/store/add-pet.ts',
  ])
})
