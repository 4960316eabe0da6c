import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const TSC = join(ROOT, 'node_modules/@typescript/native/bin/tsc')

/** A package's type of a pet, and the packages that are compiled with another field in it. */
interface Field {
  readonly file: string
  readonly types: readonly string[]
  readonly sources: string
  readonly compilerOptions: object
  /** Every file that lists the fields, as docs/how-to/add-a-field.md names them. */
  readonly named: readonly string[]
}

const OF_THE_DOMAIN: Field = {
  file: 'packages/domain/src/pet.ts',
  types: ['PetInput'],
  sources:
    '{packages/{domain,http-express,persistence,persistence-mikro-orm,persistence-testing},' +
    'apps/api}' +
    '/src/**/*.ts',
  compilerOptions: { types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] },
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
  types: ['NewPet', 'Pet'],
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

/** The files that the compiler names when a pet has another field. */
function filesNamedFor({ file, types, sources, compilerOptions }: Field): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'field-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const declarations = types.map(
    (type) => `interface ${type} { readonly anotherField?: string | undefined }`,
  )
  writeFileSync(
    join(folder, 'field.ts'),
    `declare module '${relative(folder, join(ROOT, file))}' {\n` +
      `${declarations.join('\n')}\n}\nexport {}\n`,
  )
  const files = globSync(sources, { cwd: ROOT }).filter(
    (one) => !/[.]test(-support)?[.]ts$/.test(one),
  )
  const config = {
    extends: join(ROOT, 'tsconfig.base.json'),
    compilerOptions: {
      ...compilerOptions,
      composite: false,
      emitDeclarationOnly: false,
      outDir: null,
      noEmit: true,
    },
    files: [join(folder, 'field.ts'), ...files.map((one) => join(ROOT, one))],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const options = [TSC, '--project', folder, '--pretty', 'false']
  const { stdout } = spawnSync(process.execPath, options, { cwd: ROOT, encoding: 'utf8' })
  const withErrors = [...stdout.matchAll(/^(\S.*)\(\d+,\d+\): error /gm)].map(([, one = '']) => one)
  return [...new Set(withErrors)].sort()
}
