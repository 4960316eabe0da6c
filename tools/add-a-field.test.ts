import { globSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const PET = join(ROOT, 'packages/domain/src/pet.ts')
const SOURCES = '{packages/{domain,http-express,persistence,persistence-mikro-orm},apps/api}/src/**/*.ts'

/** Every place that lists the fields of a pet, as docs/how-to/add-a-field.md names them. */
const PLACES = [
  // The fingerprint of an idempotency key, and the rules.
  'packages/domain/src/create-pet.ts',
  'packages/domain/src/pet.ts',
  // The request body and the response.
  'packages/http-express/src/pets/new-pet-body.ts',
  'packages/http-express/src/pets/pet-schema.ts',
  // The column, its mapping, the statements, and bulk access.
  'packages/persistence/src/bulk-access.ts',
  'packages/persistence-mikro-orm/src/bulk/bulk-access.ts',
  'packages/persistence-mikro-orm/src/entities/pet-mapping.ts',
  'packages/persistence-mikro-orm/src/entities/pet-record.ts',
  'packages/persistence-mikro-orm/src/statements/pet-statements.ts',
  // Import, export and the digest of a copy.
  'apps/api/src/transfer/pet-fields.ts',
]

/** The source files that do not compile when a text of pet.ts is replaced. */
function filesWithErrors(replaced: string, replacement: string): string[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.base.json'), (path) => ts.sys.readFile(path))
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
  const host = ts.createCompilerHost(options)
  const readFile = host.readFile.bind(host)
  host.readFile = (path) => {
    const text = readFile(path)
    return path === PET ? text?.replace(replaced, replacement) : text
  }
  expect(host.readFile(PET)).toContain(replacement)
  const files = globSync(SOURCES, { cwd: ROOT, exclude: (path) => /[.]test(-support)?[.]ts$/.test(String(path)) })
  const program = ts.createProgram(
    files.map((file) => join(ROOT, file)),
    { ...options, types: ['node'] },
    host,
  )
  const errors = ts.getPreEmitDiagnostics(program).map(({ file }) => relative(ROOT, file?.fileName ?? ROOT))
  return [...new Set(errors)].sort()
}

it('a new field of a pet does not compile until every place that lists the fields has it', { timeout: 300_000 }, () => {
  const status = '  readonly status?: PetStatus | undefined\n'
  expect(filesWithErrors(status, `${status}  readonly anotherField?: string | undefined\n`)).toEqual(PLACES.toSorted())
})
