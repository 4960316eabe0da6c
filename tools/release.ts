// What a release publishes, and what it still lacks: `pnpm release:dry-run`, with `--files` file by file. CI hands the
// packages to the registry with `pnpm release:stage`, where a maintainer approves them; `pnpm release:publish` is for the
// first release, by a person. Both stop while something is missing. `pnpm release:repository <URL>` sets the public address
// in every manifest, and in the links of READMEs, which a registry shows without the files beside them.
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileAddress, ROOT, readPublicPackages } from './public-packages.ts'

/** A link of a README to a file, as opposed to an address or a heading. */
const RELATIVE_LINK = /\]\((?![a-z]+:|#)([^)\s]+)\)/g

interface Manifest {
  readonly version?: string
  readonly repository?: { readonly type: 'git'; readonly url: string; readonly directory?: string }
}

const [command = 'dry-run', address] = process.argv.slice(2).filter((argument) => argument !== '--files')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const readManifest = (folder: string) => JSON.parse(read(join(folder, 'package.json'))) as Manifest
const packages = readPublicPackages()

const OPTIONS = ['-r', '--no-git-checks', '--access', 'public']
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  stage: ['stage', 'publish', '--provenance', ...OPTIONS],
  publish: ['publish', ...OPTIONS],
}

if (command === 'repository') setRepository(address ?? '')
else if (command === 'dry-run' || command in COMMANDS) release()
else throw new RangeError(`There is no ${command}: give dry-run, stage, publish or repository.`)

/** Writes the address into the manifest of the root and of every public package, and into their READMEs. */
function setRepository(given: string): void {
  const url = given.replace(/^git\+/, '')
  if (!/^https:\/\/[^\s@]+$/.test(url)) {
    console.error('Give the public address of the repository: pnpm release:repository https://host/owner/pet-store')
    process.exitCode = 1
    return
  }
  const repository = { type: 'git', url: `git+${url.replace(/(\.git)?\/?$/, '.git')}` } as const
  const [files, formerFiles] = [repository, readManifest('.').repository].map((one) => fileAddress(one?.url ?? ''))
  const write = (folder: string, more: Manifest['repository']) =>
    writeFileSync(
      join(ROOT, folder, 'package.json'),
      `${JSON.stringify({ ...readManifest(folder), repository: more }, undefined, 2)}\n`,
    )
  for (const { folder } of packages) {
    const text = read(join(folder, 'README.md'))
      .replaceAll(`](${formerFiles}`, `](${files}`)
      .replaceAll(RELATIVE_LINK, (_link, target: string) => `](${files}${posix.join(folder, target)})`)
    writeFileSync(join(ROOT, folder, 'README.md'), text)
    write(folder, { ...repository, directory: folder })
  }
  write('.', repository)
  console.log(`The manifests and READMEs of ${packages.length} packages have the address. Review and commit them.`)
}

function release(): void {
  const missing = findMissing()
  if (command === 'dry-run') for (const line of contents()) console.log(line)
  for (const one of missing) console.error(`Missing: ${one}`)
  if (command === 'dry-run') {
    console.log(missing.length > 0 ? 'A release would stop here. Nothing was published.' : 'Nothing was published.')
  } else if (missing.length > 0) {
    console.error('Nothing was published.')
    process.exitCode = 1
  } else process.exitCode = spawnSync('pnpm', COMMANDS[command] ?? [], { cwd: ROOT, stdio: 'inherit' }).status ?? 1
}

/** What each tarball has, in the order of publication. */
function contents(): readonly string[] {
  const { status, stdout, stderr } = spawnSync('pnpm', ['publish', ...OPTIONS, '--dry-run', '--json'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  if (status !== 0) {
    console.error(stdout + stderr)
    process.exit(1)
  }
  const tarballs = JSON.parse(stdout) as readonly {
    readonly id: string
    readonly size: number
    readonly files: readonly { readonly path: string }[]
  }[]
  return tarballs.flatMap(({ id, size, files }) => [
    `${id}: ${files.length} files, ${Math.ceil(size / 1000)} kB`,
    ...(process.argv.includes('--files') ? files.map(({ path }) => `  ${path}`) : []),
  ])
}

function findMissing(): readonly string[] {
  const missing: string[] = []
  const { repository } = readManifest('.')
  const stated = (folder: string) => readManifest(folder).repository
  if (repository === undefined) missing.push('the public address: pnpm release:repository https://host/owner/pet-store')
  else
    for (const { name, folder } of packages) {
      const isSame = stated(folder)?.url === repository.url && stated(folder)?.directory === folder
      const hasRelativeLinks = read(join(folder, 'README.md')).search(RELATIVE_LINK) >= 0
      if (!isSame || hasRelativeLinks) missing.push(`the address in ${name}: pnpm release:repository ${repository.url}`)
    }
  const changesets = globSync('.changeset/*.md', { cwd: ROOT })
  if (changesets.length > 0)
    missing.push(`${changesets.length} changesets are in no version yet: pnpm changeset version`)
  if (read('docs/openapi.json') !== read('docs/openapi-released.json')) {
    missing.push('the released description: cp docs/openapi.json docs/openapi-released.json')
  }
  const changed = execFileSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' }).trim()
  if (changed !== '') missing.push(`a commit of ${changed.split('\n').length} changed files`)
  return missing
}
