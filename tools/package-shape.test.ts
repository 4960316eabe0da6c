import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly engines?: { readonly node?: string }
  readonly exports?: Record<string, string | Record<string, string>>
  readonly files?: readonly string[]
  readonly scripts?: Record<string, string>
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
  return { folder, manifest: readManifest(folder), text: read(file) }
})

describe.each(members)('$folder', ({ folder, manifest, text }) => {
  it(`${folder} has a README and a row in the package table of the root README`, () => {
    expect(existsSync(join(ROOT, folder, 'README.md'))).toBe(true)
    expect(read('README.md')).toContain(`| [\`${manifest.name}\`](${folder}/README.md) |`)
  })

  it(`${folder} states its module type, licence, Node versions and side effects`, () => {
    expect(manifest).toMatchObject({ type: 'module', license: 'MIT', engines: readManifest('.').engines ?? {} })
    expect(manifest).toHaveProperty('sideEffects')
  })

  it(`${folder} has every task of turbo.json`, () => {
    // A package that only has tests has nothing to build.
    const tasks = ['types', 'test', ...(manifest.exports === undefined ? [] : ['build', 'check:package'])]
    expect(Object.keys(manifest.scripts ?? {})).toEqual(expect.arrayContaining(tasks))
  })

  it(`${folder} takes every version from the catalog or the workspace`, () => {
    const { dependencies, devDependencies, peerDependencies } = JSON.parse(text) as Record<string, object | undefined>
    const versions = Object.values({ ...dependencies, ...devDependencies })
    expect(versions.filter((version) => version !== 'catalog:' && version !== 'workspace:*')).toEqual([])
    expect(Object.values(peerDependencies ?? {}).filter((version) => version !== 'workspace:^')).toEqual([])
  })
})

describe.each(members.filter(({ folder }) => folder.startsWith('packages/')))('$folder', ({ folder, manifest }) => {
  it(`${folder} exports source to tools of this repository, and types before code to everybody else`, () => {
    const entries = Object.values(manifest.exports ?? {}).filter((entry) => typeof entry === 'object')
    expect(entries).not.toEqual([])
    for (const entry of entries) {
      expect(Object.keys(entry)).toEqual(['@pet-store/source', 'types', 'default'])
      expect(existsSync(join(ROOT, folder, entry['@pet-store/source'] ?? ''))).toBe(true)
    }
  })

  it(`${folder} publishes its source without tests, and the licence`, () => {
    expect(manifest.files).toEqual(expect.arrayContaining(['dist', 'src', '!src/**/*.test*.ts', 'LICENSE']))
  })
})

it.each(members.filter(({ manifest }) => manifest.exports !== undefined && manifest.private !== true))(
  'the README of $folder leads to SECURITY.md',
  ({ folder }) => {
    expect(read(folder, 'README.md')).toMatch(/\]\((\.\.\/\.\.|https:\S+)\/SECURITY\.md\)/)
  },
)

/** Production source, and the folders directly in `src` that have any. */
const sources = filesIn('{packages,apps}/*/src/**/*.ts').filter((file) => !/[.]test(-support)?[.]ts$/.test(file))

describe('source files', () => {
  it.each(members)('$folder lists the folders of its source in its README', ({ folder }) => {
    const folders = sources.flatMap((file) => file.match(`^${folder}/src/([^/]+)/`)?.[1] ?? [])
    const [, section = ''] = read(folder, 'README.md').split(/^## Folders$/m)
    const listed = [...(section.split(/^## /m)[0] ?? '').matchAll(/^- `([^`]+)\/`: /gm)].map(([, name = '']) => name)
    expect(listed).toEqual(expect.arrayContaining(folders))
    expect(listed.filter((name) => !existsSync(join(ROOT, folder, 'src', name)))).toEqual([])
  })

  it('have at most 300 lines, tests included', () => {
    const all = filesIn('{packages,apps}/*/src/**/*.ts').concat(filesIn('{tools,examples}/*.ts'))
    expect(all.filter((file) => read(file).split('\n').length > 301)).toEqual([])
  })

  it('are at most 16 in a folder', () => {
    const folders = sources.map((file) => file.replace(/\/[^/]+$/, ''))
    const tooFull = folders.filter((folder) => folders.filter((other) => other === folder).length > 16)
    expect([...new Set(tooFull)]).toEqual([])
  })

  it('contain no machine paths', () => {
    const text = /(?<![\w.$}])\/(work|home|root)\//
    expect(
      filesIn('{packages,apps,tools,docs,deploy}/**/*.{ts,md,json,yaml}').filter(
        (file) => !file.includes('node_modules') && !file.includes('/dist/') && text.test(read(file)),
      ),
    ).toEqual([])
  })
})

describe('contract tests', () => {
  const ADAPTERS = [
    ['packages/persistence-testing', 'createMemoryPets', 'createMemoryApiKeys'],
    ['packages/persistence-sqlite', 'openSqlitePersistence', 'openSqlitePersistence'],
    ['packages/persistence-postgres', 'openPostgresPersistence', 'openPostgresPersistence'],
  ] as const

  it('cover every package that adapts a port', () => {
    const named = members.filter(({ folder }) => /persistence-(?!testing|mikro-orm)/.test(folder))
    expect(ADAPTERS.map(([folder]) => folder)).toEqual(expect.arrayContaining(named.map(({ folder }) => folder)))
  })

  it.each(ADAPTERS)('%s runs the cases of both ports', (folder, pets, apiKeys) => {
    const tests = filesIn(`${folder}/src/**/*.contract.test.ts`).map((file) => read(file))
    const runs = (cases: string, adapter: string) =>
      tests.some((text) => text.includes(cases) && text.includes(adapter))
    expect(runs('petRepositoryContract', pets)).toBe(true)
    expect(runs('apiKeyRepositoryContract', apiKeys)).toBe(true)
  })
})
