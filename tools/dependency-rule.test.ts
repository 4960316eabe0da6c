import { spawnSync } from 'node:child_process'
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { IMPORTS } from '../.dependency-cruiser.mjs'
import { ROOT } from './root.ts'

const packages = Object.entries<{ may: readonly string[]; tests?: readonly string[] }>(IMPORTS)

/**
 * Files with an import that the rule of that name must report. `not-allowed` is an npm package that
 * no row names.
 */
const FORBIDDEN: readonly (readonly [rule: string, file: string, imports: string])[] = [
  ...packages.flatMap(([name, { may }]) => [
    [`${name}-imports`, `packages/${name}/src/a.ts`, 'not-allowed'] as const,
    [`${name}-tests-import`, `packages/${name}/src/a.test.ts`, 'not-allowed'] as const,
    ...may
      .flatMap((one) => one.match(/^(.*) \(types\)$/)?.[1] ?? [])
      .map(
        (of) =>
          [
            `${name}-imports-types-of-${of}`,
            `packages/${name}/src/types-${of}.ts`,
            `@pet-store/${of}`,
          ] as const,
      ),
  ]),
  ['domain-imports', 'packages/domain/src/c.ts', 'node:crypto'],
  ['tests-only-persistence-testing', 'apps/api/src/a.ts', '@pet-store/persistence-testing'],
  ['tests-only-testing', 'apps/api/src/e.ts', '@pet-store/testing'],
  ['packages-do-not-import-apps', 'packages/http-express/src/c.ts', '@pet-store/api'],
  ['nothing-imports-benchmark-or-contracts', 'apps/api/src/b.ts', '@pet-store/contracts'],
  ['import-packages-by-name', 'packages/http-express/src/d.ts', '../../domain/src/index.ts'],
  ['own-index-is-for-others', 'packages/domain/src/d.ts', './index.ts'],
  ['no-cycles', 'packages/domain/src/e.ts', './e.ts'],
  ['imports-resolve', 'packages/http-express/src/e.ts', '@pet-store/domain/src/pet.ts'],
  ['imports-are-declared', 'apps/api/src/c.ts', 'pg'],
  ['source-runs-without-development-dependencies', 'apps/api/src/d.ts', 'fast-check'],
  ['apps/api/src/lower-imports-downwards', 'apps/api/src/lower/a.ts', '../upper/b.ts'],
  ['apps/api/src/upper-imports-downwards', 'apps/api/src/upper/a.ts', '../unlisted/b.ts'],
  ['apps/api/src/upper-imports-downwards', 'apps/api/src/upper/c.ts', '../root.ts'],
  ['apps/api/src/*.ts-imports-downwards', 'apps/api/src/above.ts', './unlisted/b.ts'],
]

/**
 * What the files above import, so that it is found. That allowed imports are not reported,
 * `pnpm imports` shows on the repository.
 */
const FOUND = ['unlisted/b.ts', 'root.ts', 'upper/b.ts'].map((file) => `apps/api/src/${file}`)
const REGISTRY = ['not-allowed', 'pg', 'fast-check']

const fixture = mkdtempSync(join(tmpdir(), 'dependency-rule-'))
for (const name of REGISTRY)
  writePackage(join('node_modules', name), { name, exports: './index.js' }, 'index.js')
for (const folder of [...packages.map(([name]) => `packages/${name}`), 'apps/api']) {
  const name = `@pet-store/${basename(folder)}`
  const exports = { '.': { '@pet-store/source': './src/index.ts' } }
  writePackage(folder, { name, exports, devDependencies: { 'fast-check': '*' } }, 'src/index.ts')
  mkdirSync(join(fixture, 'node_modules/@pet-store'), { recursive: true })
  symlinkSync(join(fixture, folder), join(fixture, 'node_modules', name), 'junction')
}
write(
  'apps/api/README.md',
  '## Folders\n\n- `*.ts`: imports all\n- `upper/`: imports lower\n- `lower/`: imports ' +
    'none\n\n## Others\n',
)
for (const file of FOUND) write(file, 'export {}\n')
for (const [, file, imports] of FORBIDDEN) write(file, `import '${imports}'\n`)
const { violations, ruleSetUsed } = cruise()
rmSync(fixture, { recursive: true })

describe('the dependency rule', () => {
  it('the dependency rule has a row for each package', () => {
    const folders = globSync('packages/*/package.json', { cwd: ROOT }).map((file) =>
      basename(dirname(file)),
    )
    expect(Object.keys(IMPORTS).sort()).toEqual(folders.sort())
  })

  it('the dependency rule is the table in ARCHITECTURE.md', () => {
    const rows = packages.map(([name, { may, tests = [] }]) =>
      [`| ${name}`, may.join(', ') || 'nothing', `${tests.join(', ') || 'nothing'} |`].join(' | '),
    )
    const table = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
      .replace(/## Where[\s\S]*/, '')
      .split('\n')
      .filter((line) => packages.some(([name]) => line.startsWith(`| ${name} |`)))
    expect(table).toEqual(rows)
  })

  it('the dependency rule has a planted import for each of its rules', () => {
    const planted = new Set(FORBIDDEN.map(([rule]) => rule))
    expect([...planted].sort()).toEqual(ruleSetUsed.forbidden.map(({ name }) => name).sort())
  })

  it.each(FORBIDDEN)('the dependency rule reports %s: %s must not import %s', (rule, file) => {
    const reported = violations
      .filter(({ from }) => from === file)
      .map((violation) => violation.rule.name)
    expect(reported).toContain(rule)
  })
})

function cruise(): Cruise {
  const program = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs')
  const options = [
    '--config',
    join(ROOT, '.dependency-cruiser.mjs'),
    '--output-type',
    'json',
    'packages',
    'apps',
  ]
  const { stdout, stderr } = spawnSync(process.execPath, [program, ...options], {
    cwd: fixture,
    encoding: 'utf8',
  })
  if (stdout === '') throw new Error(stderr)
  return (JSON.parse(stdout) as { summary: Cruise }).summary
}

interface Cruise {
  readonly violations: readonly {
    readonly from: string
    readonly rule: { readonly name: string }
  }[]
  readonly ruleSetUsed: { readonly forbidden: readonly { readonly name: string }[] }
}

function writePackage(folder: string, manifest: object, entry: string): void {
  write(
    join(folder, 'package.json'),
    JSON.stringify({ version: '1.0.0', type: 'module', ...manifest }),
  )
  write(join(folder, entry), 'export {}\n')
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(fixture, file)), { recursive: true })
  writeFileSync(join(fixture, file), text)
}
