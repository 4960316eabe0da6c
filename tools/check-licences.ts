// Reports dependencies of what is published and deployed whose licence is not one of these: `pnpm check:licences`.
import { execFileSync } from 'node:child_process'

const ALLOWED = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'Unlicense',
  'CC0-1.0',
])

/** Packages that are neither published nor part of the image. */
const PRIVATE = ['contracts', 'testing', 'testing-postgres', 'benchmark', 'faults', 'examples'].map(
  (name) => `@pet-store/${name}`,
)

const json = execFileSync(
  'pnpm',
  ['-r', ...PRIVATE.map((name) => `--filter=!${name}`), 'licenses', 'list', '--prod', '--json'],
  {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  },
)
const byLicence = Object.entries(JSON.parse(json) as Record<string, readonly { readonly name: string }[]>)
const others = byLicence.filter(
  ([licence]) =>
    !licence
      .replaceAll(/[()]/g, '')
      .split(' OR ')
      .some((one) => ALLOWED.has(one)),
)
for (const [licence, packages] of others) console.error(`${licence}: ${packages.map(({ name }) => name).join(', ')}`)
if (others.length > 0) process.exitCode = 1
else console.log(`${byLicence.reduce((sum, [, packages]) => sum + packages.length, 0)} packages with allowed licences.`)
