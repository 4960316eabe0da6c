// `pnpm release:dry-run`: packs every public package into data/tarballs, as a release publishes
// them, and shows what the registry would have of each. Until the first release, other programs
// install from that folder (docs/how-to/release.md).
//
// It runs `pnpm pack`, because `npm publish --dry-run` lists only files and sizes: neither the
// manifest, in which pnpm replaces `workspace:` and `catalog:`, nor the provenance, which only CI
// makes.
import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../root.ts'
import { run } from '../run-command.ts'
import { readPublicPackages } from './public-packages.ts'

interface Tarball {
  readonly name: string
  readonly version: string
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

/**
 * Writes the tarballs into an empty folder, with a `pnpm-workspace.yaml` for the programs that
 * install them by pnpm. Without it, pnpm would ask the registry for the packages that one depends
 * on. It would also stop at install scripts, which none needs.
 */
export async function packAll(folder: string): Promise<readonly Tarball[]> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const filters = readPublicPackages().map(({ name }) => `--filter=${name}`)
  const output = await run(ROOT, [
    'pnpm',
    '-r',
    ...filters,
    'pack',
    '--pack-destination',
    folder,
    '--json',
  ])
  // Before it, pnpm prints what the scripts of the packages do.
  const tarballs = JSON.parse(output.slice(output.search(/^\[$/m))) as readonly Tarball[]
  const overrides = tarballs.map(({ name, filename }) => `  '${name}': 'file:${filename}'\n`)
  const workspace =
    `packages: []\noverrides:\n${overrides.join('')}` +
    "allowBuilds: { '@scarf/scarf': false, better-sqlite3: false }\n"
  writeFileSync(join(folder, 'pnpm-workspace.yaml'), workspace)
  return tarballs
}

interface Manifest {
  readonly [field: string]: unknown
  readonly repository?: { readonly url: string }
}

/**
 * What `npm view` would show, besides what only the registry knows: times, dist-tags, maintainers.
 */
function registryView({ size, files }: Tarball, manifest: Manifest, sha512: Buffer): object {
  const { scripts: _, devDependencies: __, files: ___, ...fields } = manifest
  const dist = { integrity: `sha512-${sha512.toString('base64')}`, size, fileCount: files.length }
  const paths = files.map(({ path }) => path).sort()
  return { ...fields, dist, files: paths.join(' ') }
}

/**
 * The statement that publishing in CI makes (in-toto 1, SLSA provenance 1), with the names of what
 * only CI knows in brackets.
 */
function provenance(
  { name, version }: Tarball,
  { repository }: Manifest,
  sha512: Buffer,
  commit: string,
): object {
  const url = repository?.url.replace(/^git\+|\.git$/g, '') ?? '<pnpm release:repository>'
  const digest = { sha512: sha512.toString('hex') }
  const github = {
    event_name: 'workflow_dispatch',
    repository_id: '<GITHUB_REPOSITORY_ID>',
    repository_owner_id: '<GITHUB_REPOSITORY_OWNER_ID>',
  }
  const buildDefinition = {
    buildType: 'https://slsa-framework.github.io/github-actions-buildtypes/workflow/v1',
    externalParameters: {
      workflow: { ref: '<GITHUB_REF>', repository: url, path: '.github/workflows/release.yml' },
    },
    internalParameters: { github },
    resolvedDependencies: [{ uri: `git+${url}@<GITHUB_REF>`, digest: { gitCommit: commit } }],
  }
  const runDetails = {
    builder: { id: 'https://github.com/actions/runner/github-hosted' },
    metadata: { invocationId: `${url}/actions/runs/<GITHUB_RUN_ID>/attempts/<GITHUB_RUN_ATTEMPT>` },
  }
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: `pkg:npm/${name.replace('@', '%40')}@${version}`, digest }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: { buildDefinition, runDetails },
  }
}

if (import.meta.main) {
  const folder = join(ROOT, 'data/tarballs')
  const commit = (await run(ROOT, ['git', 'rev-parse', 'HEAD'])).trim()
  for (const tarball of await packAll(folder)) {
    const manifest = JSON.parse(
      await run(ROOT, ['tar', '-xOf', tarball.filename, 'package/package.json']),
    ) as Manifest
    console.log(`\n${tarball.name}@${tarball.version}: ${tarball.filename}`)
    const sha512 = hash('sha512', readFileSync(tarball.filename), 'buffer')
    const view = registryView(tarball, manifest, sha512)
    console.dir(
      { view, provenance: provenance(tarball, manifest, sha512, commit) },
      { depth: null, breakLength: 130 },
    )
  }
  if (!readFileSync(join(ROOT, 'package.json'), 'utf8').includes('"repository":')) {
    console.log(
      '\nThey have no repository and no provenance yet: pnpm release:repository ' +
        'https://host/owner/pet-store',
    )
  }
}
