import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly license?: string
  readonly type?: string
  readonly sideEffects?: unknown
  readonly engines?: { readonly node?: string }
  readonly exports?: Record<string, string | Record<string, string>>
  readonly files?: readonly string[]
  readonly scripts?: Record<string, string>
  readonly dependencies?: Record<string, string>
  readonly devDependencies?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
}

const ROOT = join(import.meta.dirname, '..')
const read = (...path: string[]): string => readFileSync(join(ROOT, ...path), 'utf8')
const readManifest = (folder: string): Manifest => JSON.parse(read(folder, 'package.json')) as Manifest
const filesIn = (pattern: string): string[] =>
  globSync(pattern, { cwd: ROOT })
    .map((file) => file.replaceAll('\\', '/'))
    .sort()

const members = filesIn('{packages,apps}/*/package.json').map((file) => {
  const folder = file.replace('/package.json', '')
  return { folder, manifest: readManifest(folder) }
})

describe.each(members)('$folder', ({ folder, manifest }) => {
  it('has a README, and a row in the package table of the root README', () => {
    expect(existsSync(join(ROOT, folder, 'README.md'))).toBe(true)
    expect(read('README.md')).toContain(`| [\`${manifest.name}\`](${folder}/README.md) |`)
  })

  it('says what it is: ESM, licence, Node, no side effects', () => {
    expect(manifest).toMatchObject({ type: 'module', license: 'MIT', engines: readManifest('.').engines ?? {} })
    expect(manifest).toHaveProperty('sideEffects')
  })

  it('has every task of turbo.json', () => {
    // A package without files, such as apps/faults, is only run by tests: there is nothing to build.
    const tasks = manifest.files === undefined ? ['types', 'test'] : ['build', 'types', 'test', 'check:package']
    expect(Object.keys(manifest.scripts ?? {})).toEqual(expect.arrayContaining(tasks))
  })

  it('takes every version from the catalog or the workspace', () => {
    const { dependencies, devDependencies, peerDependencies } = manifest
    const outside = Object.entries({ ...dependencies, ...devDependencies, ...peerDependencies }).filter(
      ([, version]) => version !== 'catalog:' && version !== 'workspace:*',
    )
    expect(outside).toEqual([])
  })
})

describe.each(members.filter(({ folder }) => folder.startsWith('packages/')))('$folder', ({ folder, manifest }) => {
  it('offers source to our tools, and types before code to everybody else', () => {
    const entries = Object.values(manifest.exports ?? {}).filter((entry) => typeof entry === 'object')
    expect(entries).not.toEqual([])
    for (const entry of entries) {
      expect(Object.keys(entry)).toEqual(['@pet-store/source', 'types', 'default'])
      expect(existsSync(join(ROOT, folder, entry['@pet-store/source'] ?? ''))).toBe(true)
    }
  })

  it('ships source, so that the source condition points at something, but no tests', () => {
    expect(manifest.files).toEqual(expect.arrayContaining(['dist', 'src', '!src/**/*.test*.ts', 'LICENSE']))
  })
})

const PORTS = [
  { port: 'PetRepository', contract: 'petRepositoryContract', model: 'createMemoryPets' },
  { port: 'ApiKeyRepository', contract: 'apiKeyRepositoryContract', model: 'createMemoryApiKeys' },
] as const

describe.each(PORTS)('whoever makes a $port', ({ port, contract, model }) => {
  const sources = filesIn('packages/*/src/**/*.ts').filter((file) => !/[.]test(-support)?[.]ts$/.test(file))
  const contractTests = filesIn('packages/*/src/**/*.contract.test.ts')
  const makers = sources
    .filter((file) => !file.startsWith('packages/persistence-testing/'))
    .flatMap((file) => makersIn(read(file), port).map((name) => ({ file, name })))

  it('is found', () => {
    expect(makers.map(({ name }) => name)).toEqual(expect.arrayContaining([model, 'openSqlitePersistence']))
  })

  it.each([
    `export function createTheirs(url: string): ${port} {`,
    'export async function createTheirs(\n  url: string,\n): Promise<TheirPersistence> {',
    'export default async function createTheirs({ url }: PersistenceOptions): Promise<Persistence> {',
    'const createTheirs: OpenPersistence = async ({ url }) => {',
    `export const createTheirs: ${port} = {`,
  ])('is found in the form of %j', (text) => {
    expect(makersIn(`// Theirs\n${text}\n}\n`, port)).toEqual(['createTheirs'])
  })

  it.each(makers)('$name keeps the contract in a test', ({ file, name }) => {
    // The tests of the models live in persistence-testing, so that no two packages import each other.
    const isModel = /^packages[/](?:domain|access)[/]/.test(file)
    const folder = isModel ? 'packages/persistence-testing/' : file.replace(/src\/.*/, '')
    const tests = contractTests.filter((test) => test.startsWith(folder)).map((test) => read(test))
    expect(tests.some((text) => text.includes(contract) && text.includes(name))).toBe(true)
  })

  it('makes every class that implements it', () => {
    const classes = sources.flatMap((file) => [
      ...read(file).matchAll(new RegExp(`class (\\w+) implements ${port}\\b`, 'g')),
    ])
    for (const [, name] of classes) {
      expect(makers.some(({ file }) => read(file).includes(`new ${name}(`))).toBe(true)
    }
  })
})

/** The names of what makes a port, or a storage that has it, as a module writes it. */
function makersIn(text: string, port: string): readonly string[] {
  const asFunction = String.raw`^export (?:default )?(?:async )?function (\w+)\((?:\{[^{}]*\})?[^{]*\): (?:${port}|Promise<\w*Persistence>) \{`
  const asValue = String.raw`^(?:export )?const (\w+): (?:${port}|OpenPersistence) =`
  return [asFunction, asValue].flatMap((form) =>
    [...text.matchAll(new RegExp(form, 'gm'))].map(([, name = '']) => name),
  )
}
