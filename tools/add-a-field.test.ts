import { expect, it } from 'vitest'
import { type Addition, filesNamedFor, ON_NODE } from './files-named.test-support.ts'

/** A package's type of a pet, and the packages that are compiled with another field in it. */
interface Field extends Addition {
  /** Every file that lists the fields, as docs/how-to/add-a-field.md names them. */
  readonly named: readonly string[]
}

const member = 'readonly anotherField?: string | undefined'

const OF_THE_DOMAIN: Field = {
  file: 'packages/domain/src/pet.ts',
  interfaces: ['PetInput'],
  member,
  sources:
    '{packages/{domain,http-express,persistence,persistence-mikro-orm,persistence-testing},' +
    'apps/api}' +
    '/src/**/*.ts',
  compilerOptions: ON_NODE,
  named: [
    // The rule, its part of the fingerprint, and how files have it.
    'packages/domain/src/pet.ts',
    // The request body and the response.
    'packages/http-express/src/wire/pet-json.ts',
    // Its column and its position in rows, also of bulk work.
    'packages/persistence-mikro-orm/src/entities/pet-columns.ts',
    'packages/persistence-mikro-orm/src/entities/pet-record.ts',
    // The contract.
    'packages/persistence-testing/src/pet-cases/fields.ts',
  ],
}

const OF_THE_CLIENT: Field = {
  file: 'packages/client/src/pet-json.ts',
  interfaces: ['NewPet', 'Pet'],
  member,
  sources: 'packages/pages/src/{fields,browser,store,reference}/*.ts',
  compilerOptions: { types: [], lib: ['ES2023', 'DOM', 'DOM.Iterable'] },
  named: [
    // Its title, and its input.
    'packages/pages/src/fields/pet-fields.ts',
    // How it is read from the form.
    'packages/pages/src/store/add-pet.ts',
  ],
}

it('a new field of a pet does not compile until every file that lists the fields has it', () => {
  expect(filesNamedFor(OF_THE_DOMAIN)).toEqual(OF_THE_DOMAIN.named)
})

it('a new field of the client does not compile until every list of the pages has it', () => {
  expect(filesNamedFor(OF_THE_CLIENT)).toEqual(OF_THE_CLIENT.named)
})
