import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { ROOT } from './root.ts'

const LOCKFILE = join(ROOT, 'pnpm-lock.yaml')
const { packages } = parse(readFileSync(LOCKFILE, 'utf8')) as {
  readonly packages: Readonly<Record<string, { readonly os?: readonly string[] }>>
}

/** The packages of binaries for this system, without what names it: `@turbo/`. */
const familiesOf = (system: string, inName: RegExp): readonly string[] =>
  Object.entries(packages)
    .filter(([, { os }]) => os?.includes(system))
    .map(([name]) => name.replace(inName, ''))

/** Published for Linux only when the lockfile was written: `pnpm migrations` runs there. */
const LINUX_ONLY: readonly string[] = ['@squawk-cli/']

// An install on Linux can leave the others out of a lockfile that it writes.
it('the lockfile has the binaries for macOS of every package that has some for Linux', () => {
  const forMacOs = new Set(familiesOf('darwin', /darwin.*/))
  const forLinux = new Set(familiesOf('linux', /linux.*/))
  expect(forLinux.size).toBeGreaterThan(10)
  expect([...forLinux].filter((family) => !forMacOs.has(family))).toEqual(LINUX_ONLY)
})
