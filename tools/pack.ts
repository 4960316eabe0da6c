// Packs every public package into data/tarballs, as a release publishes them, and lists them: `pnpm release:dry-run`. Until
// then other programs install from that folder (docs/how-to/release.md).
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, readPublicPackages, run } from './public-packages.ts'

interface Tarball {
  readonly name: string
  readonly version: string
  readonly filename: string
  readonly size: number
  readonly files: readonly unknown[]
}

/**
 * Writes the tarballs into an empty folder, with a `pnpm-workspace.yaml` for the programs that install them by pnpm: it would
 * ask the registry for what a package depends on, and stop at install scripts, which none needs.
 */
export async function packAll(folder: string): Promise<readonly Tarball[]> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const filters = readPublicPackages().map(({ name }) => `--filter=${name}`)
  const output = await run(ROOT, ['pnpm', '-r', ...filters, 'pack', '--pack-destination', folder, '--json'])
  // Before it, pnpm prints what the scripts of the packages do.
  const tarballs = JSON.parse(output.slice(output.search(/^\[$/m))) as readonly Tarball[]
  const overrides = tarballs.map(({ name, filename }) => `  '${name}': 'file:${filename}'\n`)
  const workspace = `packages: []\noverrides:\n${overrides.join('')}allowBuilds: { '@scarf/scarf': false, better-sqlite3: false }\n`
  writeFileSync(join(folder, 'pnpm-workspace.yaml'), workspace)
  return tarballs
}

if (import.meta.main) {
  const tarballs = await packAll(join(ROOT, 'data/tarballs'))
  for (const { name, version, filename, size, files } of tarballs) {
    console.log(`${name}@${version}: ${files.length} files, ${Math.ceil(size / 1000)} kB, ${filename}`)
  }
  const { repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly repository?: object
  }
  if (repository === undefined) {
    console.log('They have no repository and no provenance yet: pnpm release:repository https://host/owner/pet-store')
  }
}
