// Sets the public address of the repository:
// `pnpm release:repository https://host/owner/pet-store`. It goes into every manifest, with the
// provenance of CI that names it, and into the links of the packages' READMEs, which a registry
// shows without the files beside them. Run it again after adding a link, and when the repository
// moves.
import { readFileSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileAddress, ROOT, readPublicPackages } from './public-packages.ts'

interface Manifest {
  readonly repository?: { readonly url: string }
  readonly publishConfig?: object
}

const [given = ''] = process.argv.slice(2)
if (!/^https:\/\/[^\s@]+$/.test(given)) {
  console.error(
    'Give the public address of the repository: pnpm release:repository ' +
      'https://host/owner/pet-store',
  )
  process.exit(1)
}
const repository = { type: 'git', url: `git+${given.replace(/(\.git)?\/?$/, '.git')}` }
const files = fileAddress(repository.url)
const former = fileAddress(change('package.json', () => ({ repository })).repository?.url ?? '')
for (const { folder } of readPublicPackages()) {
  change(join(folder, 'package.json'), ({ publishConfig }) => ({
    repository: { ...repository, directory: folder },
    publishConfig: { ...publishConfig, provenance: true },
  }))
  const readme = join(ROOT, folder, 'README.md')
  const text = readFileSync(readme, 'utf8')
    .replaceAll(`](${former}`, `](${files}`)
    // Links to files, as opposed to addresses and headings.
    .replaceAll(
      /\]\((?![a-z]+:|#)([^)\s]+)\)/g,
      (_, target: string) => `](${files}${posix.join(folder, target)})`,
    )
  writeFileSync(readme, text)
}
console.log('The manifests and READMEs have the address. Review and commit them.')

/** Adds fields to a manifest, and returns it as it was. */
function change(file: string, fields: (manifest: Manifest) => Manifest): Manifest {
  const path = join(ROOT, file)
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest
  writeFileSync(path, `${JSON.stringify({ ...manifest, ...fields(manifest) }, undefined, 2)}\n`)
  return manifest
}
