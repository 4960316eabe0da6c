import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const TSC = join(ROOT, 'node_modules/@typescript/native/bin/tsc')
const PET = join(ROOT, 'packages/domain/src/pet.ts')
const SOURCES =
  '{packages/{domain,http-express,persistence,persistence-mikro-orm,persistence-testing},apps/api}/src/**/*.ts'

/** Every file that lists the fields of a pet, as docs/how-to/add-a-field.md names them. */
const FILES = [
  // The rule, its part of the fingerprint, and how files have it.
  'packages/domain/src/pet.ts',
  // The request body and the response.
  'packages/http-express/src/wire/pet-json.ts',
  // Its column and its position in rows, also of bulk work.
  'packages/persistence-mikro-orm/src/entities/records.ts',
  'packages/persistence-mikro-orm/src/repositories/sql-pet-repository.ts',
  // The contract.
  'packages/persistence-testing/src/pet-cases/fields.ts',
]

it('a new field of a pet does not compile until every file that lists the fields has it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'field-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const declaration = 'interface PetInput { readonly anotherField?: string | undefined }'
  writeFileSync(
    join(folder, 'field.ts'),
    `declare module '${relative(folder, PET)}' { ${declaration} }\nexport {}\n`,
  )
  const files = globSync(SOURCES, {
    cwd: ROOT,
    exclude: (path) => /[.]test(-support)?[.]ts$/.test(String(path)),
  })
  const config = {
    extends: join(ROOT, 'tsconfig.base.json'),
    compilerOptions: { types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] },
    files: [join(folder, 'field.ts'), ...files.map((file) => join(ROOT, file))],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const options = [TSC, '--project', folder, '--pretty', 'false']
  const { stdout } = spawnSync(process.execPath, options, { cwd: ROOT, encoding: 'utf8' })
  const withErrors = [...stdout.matchAll(/^(\S.*)\(\d+,\d+\): error /gm)].map(
    ([, file = '']) => file,
  )
  expect([...new Set(withErrors)].sort()).toEqual(FILES.toSorted())
})
