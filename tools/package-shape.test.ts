import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly engines: object
  readonly exports?: Record<string, string | Record<string, string>>
  readonly files?: readonly string[]
  readonly scripts?: Record<string, string>
  readonly dependencies?: object
  readonly devDependencies?: object
  readonly peerDependencies?: object
}

import { ROOT } from './root.ts'

const read = (...path: string[]): string => readFileSync(join(ROOT, ...path), 'utf8')
const readManifest = (folder: string): Manifest =>
  JSON.parse(read(folder, 'package.json')) as Manifest
const filesIn = (pattern: string): string[] =>
  globSync(pattern, { cwd: ROOT })
    .map((file) => file.replaceAll('\\', '/'))
    .sort()

const members = filesIn('{packages,apps}/*/package.json')
  .map((file) => file.replace('/package.json', ''))
  .map((folder) => ({ folder, manifest: readManifest(folder) }))
/** Production source. */
const sources = filesIn('{packages,apps}/*/src/**/*.ts').filter(
  (file) => !/[.]test(-support)?[.]ts$/.test(file),
)

/** False for packages that only tests, experiments and the benchmark use, from their source. */
function isBuilt({ exports }: Manifest): boolean {
  return Object.values(exports ?? {}).some((entry) => typeof entry === 'object')
}

describe.each(members)('$folder', ({ folder, manifest }) => {
  it(`${folder} has a README and a row in the package table of the root README`, () => {
    expect(existsSync(join(ROOT, folder, 'README.md'))).toBe(true)
    expect(read('README.md')).toContain(`| [\`${manifest.name}\`](${folder}/README.md) |`)
  })

  it(`${folder} lists the folders of its source in its README`, () => {
    const folders = sources.flatMap((file) => file.match(`^${folder}/src/([^/]+)/`)?.[1] ?? [])
    const [, section = ''] = read(folder, 'README.md').split(/^## Folders$/m)
    const listed = [...(section.split(/^## /m)[0] ?? '').matchAll(/^- `([^`]+)\/`: /gm)].map(
      ([, name = '']) => name,
    )
    expect(listed).toEqual(expect.arrayContaining(folders))
    expect(listed.filter((name) => !existsSync(join(ROOT, folder, 'src', name)))).toEqual([])
  })

  it(`${folder} states what every package states, and has every task`, () => {
    expect(manifest).toMatchObject({
      type: 'module',
      license: 'MIT',
      engines: readManifest('.').engines,
    })
    expect(manifest).toHaveProperty('sideEffects')
    const tasks = ['types', 'test', ...(isBuilt(manifest) ? ['build', 'check:package'] : [])]
    expect(Object.keys(manifest.scripts ?? {})).toEqual(expect.arrayContaining(tasks))
  })

  it(`${folder} takes every version from the catalog or the workspace`, () => {
    const versions = Object.values({ ...manifest.dependencies, ...manifest.devDependencies })
    expect(
      versions.filter((version) => version !== 'catalog:' && version !== 'workspace:*'),
    ).toEqual([])
    const peers = Object.values(manifest.peerDependencies ?? {})
    expect(peers.filter((version) => version !== 'workspace:^')).toEqual([])
  })
})

it.each(
  members.filter(({ folder, manifest }) => folder.startsWith('packages/') && isBuilt(manifest)),
)(
  '$folder exports source to tools of this repository, types before code to others, and ' +
    'publishes both without tests',
  ({ folder, manifest }) => {
    const entries = Object.values(manifest.exports ?? {}).filter(
      (entry) => typeof entry === 'object',
    )
    expect(entries).not.toEqual([])
    for (const entry of entries) {
      expect(Object.keys(entry)).toEqual(['@pet-store/source', 'types', 'default'])
      expect(existsSync(join(ROOT, folder, entry['@pet-store/source'] ?? ''))).toBe(true)
    }
    expect(manifest.files).toEqual(
      expect.arrayContaining(['dist', 'src', '!src/**/*.test*.ts', 'LICENSE']),
    )
    if (manifest.private !== true)
      expect(read(folder, 'README.md')).toMatch(/\]\((\.\.\/\.\.|https:\S+)\/SECURITY\.md\)/)
  },
)

it('source files have at most 300 lines, tests included, and are at most 16 in a folder', () => {
  const all = filesIn('{packages/*/src,apps/*/src,tools,examples}/**/*.ts').filter(
    (file) => !file.includes('node_modules'),
  )
  expect(all.filter((file) => read(file).split('\n').length > 301)).toEqual([])
  const folders = sources.map((file) => file.replace(/\/[^/]+$/, ''))
  expect(
    folders.filter((folder) => folders.filter((other) => other === folder).length > 16),
  ).toEqual([])
})

it('files contain no machine paths', () => {
  const files = filesIn('{packages,apps,tools,docs,deploy}/**/*.{ts,md,json,yaml}')
  const own = files.filter((file) => !/node_modules|\/dist\//.test(file))
  expect(own.filter((file) => /(?<![\w.$}])\/(work|home|root)\//.test(read(file)))).toEqual([])
})

it('the bill of materials states the version of the program', () => {
  expect(read('package.json')).toContain(/"version": .*/.exec(read('apps/api/package.json'))?.[0])
})

it('changesets version what is public, and dependents together with the domain', () => {
  const config = JSON.parse(read('.changeset/config.json')) as {
    ignore: string[]
    linked: [string[]]
  }
  const all = [
    ...members.map(({ manifest }) => manifest),
    ...['examples', 'tools'].map(readManifest),
  ]
  const names = (isWanted: (manifest: Manifest) => boolean) =>
    all.filter(isWanted).map(({ name }) => name)
  const ignored = names((one) => one.private === true && one.name !== '@pet-store/api')
  expect(config.ignore.sort()).toEqual(ignored.sort())
  const DOMAIN = '@pet-store/domain'
  const sharing = names((one) => one.name === DOMAIN || DOMAIN in (one.peerDependencies ?? {}))
  expect(config.linked[0].sort()).toEqual(sharing.sort())
})
