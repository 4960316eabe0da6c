// Reports dependencies of what is published and deployed whose licence is not one of these:
// `pnpm check:licences`. pnpm lists the licences, and has no list of allowed ones; license-checker
// and its forks do not follow the links of pnpm's node_modules, and miss half of the packages.
import { execFileSync } from 'node:child_process'

const ALLOWED =
  'MIT ISC Apache-2.0 BSD-2-Clause BSD-3-Clause 0BSD BlueOak-1.0.0 Unlicense CC0-1.0'.split(' ')
/** Packages that are neither published nor part of the image. */
const PRIVATE = [
  'contracts',
  'testing',
  'testing-postgres',
  'benchmark',
  'faults',
  'examples',
  'tools',
]

const filters = PRIVATE.map((name) => `--filter=!@pet-store/${name}`)
const json = execFileSync('pnpm', ['-r', ...filters, 'licenses', 'list', '--prod', '--json'], {
  encoding: 'utf8',
  maxBuffer: 2 ** 26,
})
const byLicence = Object.entries(
  JSON.parse(json) as Record<string, readonly { readonly name: string }[]>,
)
for (const [licence, packages] of byLicence) {
  const choices = licence.replaceAll(/[()]/g, '').split(' OR ')
  if (choices.some((one) => ALLOWED.includes(one))) continue
  console.error(`${licence}: ${packages.map(({ name }) => name).join(', ')}`)
  process.exitCode = 1
}
