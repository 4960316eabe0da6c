import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import configuration from '../.dependency-cruiser.mjs'

/** For each rule: a file, and an import in it that the rule must report. */
const FORBIDDEN: Record<string, { file: string; imports: string }> = {
  'domain-imports-its-row': { file: 'packages/domain/src/a.ts', imports: 'node:crypto' },
  'domain-tests-import-their-row': { file: 'packages/domain/src/a.test.ts', imports: '@pet-store/persistence-testing' },
  'access-imports-its-row': { file: 'packages/access/src/a.ts', imports: '@pet-store/domain' },
  'access-tests-import-their-row': { file: 'packages/access/src/a.test.ts', imports: 'express' },
  'persistence-imports-its-row': { file: 'packages/persistence/src/a.ts', imports: 'pg' },
  'persistence-tests-import-their-row': { file: 'packages/persistence/src/a.test.ts', imports: 'express' },
  'persistence-testing-imports-its-row': { file: 'packages/persistence-testing/src/a.ts', imports: 'vitest' },
  'persistence-testing-tests-import-their-row': {
    file: 'packages/persistence-testing/src/a.test.ts',
    imports: 'better-sqlite3',
  },
  'http-express-imports-its-row': { file: 'packages/http-express/src/a.ts', imports: 'better-sqlite3' },
  'http-express-tests-import-their-row': {
    file: 'packages/http-express/src/a.test.ts',
    imports: '@pet-store/persistence-sqlite',
  },
  'persistence-mikro-orm-imports-its-row': {
    file: 'packages/persistence-mikro-orm/src/a.ts',
    imports: 'better-sqlite3',
  },
  'persistence-mikro-orm-tests-import-their-row': {
    file: 'packages/persistence-mikro-orm/src/a.test.ts',
    imports: 'express',
  },
  'persistence-sqlite-imports-its-row': { file: 'packages/persistence-sqlite/src/a.ts', imports: 'express' },
  'persistence-sqlite-tests-import-their-row': { file: 'packages/persistence-sqlite/src/a.test.ts', imports: 'pg' },
  'persistence-postgres-imports-its-row': { file: 'packages/persistence-postgres/src/a.ts', imports: 'better-sqlite3' },
  'persistence-postgres-tests-import-their-row': {
    file: 'packages/persistence-postgres/src/a.test.ts',
    imports: '@pet-store/persistence-sqlite',
  },
  'testing-postgres-imports-its-row': { file: 'packages/testing-postgres/src/a.ts', imports: '@pet-store/domain' },
  'testing-postgres-tests-import-their-row': { file: 'packages/testing-postgres/src/a.test.ts', imports: 'express' },
  'client-imports-its-row': { file: 'packages/client/src/a.ts', imports: '@pet-store/domain' },
  'client-tests-import-their-row': { file: 'packages/client/src/a.test.ts', imports: 'better-sqlite3' },
  'contracts-imports-its-row': { file: 'packages/contracts/src/a.ts', imports: 'express' },
  'contracts-tests-import-their-row': { file: 'packages/contracts/src/a.test.ts', imports: 'better-sqlite3' },
  'http-express-takes-types-of-access': { file: 'packages/http-express/src/b.ts', imports: '@pet-store/access' },
  'test-kit-stays-in-tests': { file: 'apps/api/src/a.ts', imports: '@pet-store/persistence-testing' },
  'apps-are-not-imported': { file: 'packages/http-express/src/c.ts', imports: '@pet-store/api' },
  'apps-do-not-import-each-other': { file: 'apps/api/src/b.ts', imports: '@pet-store/contracts' },
  'only-front-doors': { file: 'packages/http-express/src/d.ts', imports: '../../domain/src/index.ts' },
  'own-index-is-for-others': { file: 'packages/domain/src/b.ts', imports: './index.ts' },
  'no-cycles': { file: 'packages/domain/src/c.ts', imports: './c.ts' },
  'imports-resolve': { file: 'packages/http-express/src/e.ts', imports: '@pet-store/domain/src/pet.ts' },
  'imports-are-declared': { file: 'apps/api/src/c.ts', imports: 'pg' },
  'source-runs-without-development-tools': { file: 'apps/api/src/d.ts', imports: 'fast-check' },
}

/** Files with imports that no rule may report. */
const ALLOWED: Record<string, readonly string[]> = {
  'packages/access/src/allowed.ts': ['node:crypto'],
  'packages/persistence-testing/src/allowed.ts': ['@pet-store/domain', 'node:assert/strict'],
  'packages/http-express/src/allowed.ts': ['@pet-store/domain', 'express', 'zod', 'node:http'],
  'packages/persistence-sqlite/src/allowed.ts': [
    '@pet-store/domain',
    '@pet-store/persistence-mikro-orm',
    '@mikro-orm/sqlite',
  ],
  'packages/persistence-sqlite/src/allowed.test.ts': ['@pet-store/persistence-testing', 'vitest', 'node:os'],
  'apps/api/src/allowed.ts': [
    '@pet-store/domain',
    '@pet-store/http-express',
    '@pet-store/persistence-sqlite',
    'node:http',
  ],
}

/** The packages of the fixture, with what their manifests declare. */
const MEMBERS: Record<string, { dependencies?: readonly string[]; devDependencies?: readonly string[] }> = {
  'packages/domain': {},
  'packages/access': {},
  'packages/persistence-testing': { dependencies: ['@pet-store/domain'] },
  'packages/http-express': { dependencies: ['@pet-store/domain', 'express', 'zod'] },
  'packages/persistence-mikro-orm': { dependencies: ['@pet-store/domain'] },
  'packages/persistence-sqlite': {
    dependencies: ['@pet-store/domain', '@pet-store/persistence-mikro-orm', '@mikro-orm/sqlite'],
    devDependencies: ['@pet-store/persistence-testing', 'vitest'],
  },
  'packages/persistence-postgres': {},
  'packages/testing-postgres': {},
  'packages/client': {},
  'packages/contracts': {},
  'apps/api': {
    dependencies: ['@pet-store/domain', '@pet-store/http-express', '@pet-store/persistence-sqlite'],
    devDependencies: ['fast-check'],
  },
}

const REGISTRY = ['express', 'zod', 'pg', 'better-sqlite3', 'vitest', 'fast-check', '@mikro-orm/sqlite']

let root: string
let reported: readonly { from: string; rule: { name: string } }[]

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'dependency-rule-'))
  for (const name of REGISTRY) writePackage(join('node_modules', name), { name, exports: './index.js' }, 'index.js')
  for (const [folder, declared] of Object.entries(MEMBERS)) {
    const name = `@pet-store/${folder.split('/').at(-1)}`
    const manifest = {
      name,
      exports: { '.': { '@pet-store/source': './src/index.ts' } },
      dependencies: versions(declared.dependencies),
      devDependencies: versions(declared.devDependencies),
    }
    writePackage(folder, manifest, 'src/index.ts')
    mkdirSync(join(root, 'node_modules/@pet-store'), { recursive: true })
    symlinkSync(join(root, folder), join(root, 'node_modules', name), 'junction')
  }
  for (const { file, imports } of Object.values(FORBIDDEN)) write(file, `import '${imports}'\n`)
  for (const [file, imports] of Object.entries(ALLOWED))
    write(file, imports.map((name) => `import '${name}'\n`).join(''))
  reported = cruise()
})

afterAll(() => rmSync(root, { recursive: true }))

describe('the dependency rule', () => {
  it('has a row for each package', () => {
    const packages = globSync('../packages/*/package.json', { cwd: import.meta.dirname }).map(dirname)
    const rules = configuration.forbidden.map(({ name }) => name)
    expect(rules).toEqual(expect.arrayContaining(packages.map((folder) => `${basename(folder)}-imports-its-row`)))
  })

  it('has a forbidden import for each rule', () => {
    expect(Object.keys(FORBIDDEN).sort()).toEqual(configuration.forbidden.map(({ name }) => name).sort())
  })

  it.each(Object.entries(FORBIDDEN))('%s is reported', (rule, { file }) => {
    expect(reported.filter(({ from }) => from === file).map((violation) => violation.rule.name)).toContain(rule)
  })

  it.each(Object.keys(ALLOWED))('nothing is reported in %s', (file) => {
    expect(reported.filter(({ from }) => from === file)).toEqual([])
  })

  it('says in each rule what to do instead', () => {
    for (const { comment } of configuration.forbidden) expect(comment).toMatch(/^[A-Z].{30,}[.)]$/)
  })
})

function cruise(): typeof reported {
  const repository = join(import.meta.dirname, '..')
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      join(repository, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs'),
      ...['--config', join(repository, '.dependency-cruiser.mjs'), '--output-type', 'json', 'packages', 'apps'],
    ],
    { cwd: root, encoding: 'utf8' },
  )
  if (stdout === '') throw new Error(stderr)
  return (JSON.parse(stdout) as { summary: { violations: typeof reported } }).summary.violations
}

function writePackage(folder: string, manifest: object, entry: string): void {
  write(join(folder, 'package.json'), JSON.stringify({ version: '1.0.0', type: 'module', ...manifest }))
  write(join(folder, entry), 'export {}\n')
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

function versions(names: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, '*']))
}
