// Sets the public address of the repository:
// `pnpm release:repository https://host/owner/pet-store`. It goes into every manifest, by
// `pnpm pkg`, with the provenance of CI that names it, and into the links of the packages' READMEs,
// which a registry shows without the files beside them: no release tool rewrites those. Run it
// again after adding a link, and when the repository moves.
import { readFileSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { ROOT } from '../root.ts'
import { run } from '../run-command.ts'
import { fileAddress, readPublicPackages } from './public-packages.ts'

const [given = ''] = process.argv.slice(2)
if (!/^https:\/\/[^\s@]+$/.test(given)) {
  console.error(
    'Give the public address of the repository: pnpm release:repository ' +
      'https://host/owner/pet-store',
  )
  process.exit(1)
}
const url = `git+${given.replace(/(\.git)?\/?$/, '.git')}`
const files = fileAddress(url)
const former = fileAddress((await run(ROOT, ['pnpm', 'pkg', 'get', 'repository.url'])).trim())
await setFields('.', { repository: { type: 'git', url } })
for (const { folder } of readPublicPackages()) {
  await setFields(folder, {
    repository: { type: 'git', url, directory: folder },
    'publishConfig.provenance': true,
  })
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

/** Sets fields of the manifest in a folder. */
async function setFields(folder: string, fields: Readonly<Record<string, unknown>>): Promise<void> {
  const values = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  await run(join(ROOT, folder), ['pnpm', 'pkg', 'set', '--json', ...values])
}
