import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { onTestFinished } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const TSC = join(ROOT, 'node_modules/@typescript/native/bin/tsc')

/** What is added to interfaces of a file, and the sources that are compiled with it. */
export interface Addition {
  readonly file: string
  readonly interfaces: readonly string[]
  /** A member, as it stands in an interface. */
  readonly member: string
  readonly sources: string
  readonly compilerOptions: object
}

/** The options of sources that run on Node. */
export const ON_NODE: object = { types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] }

/** The files that the compiler names when interfaces have another member. */
export function filesNamedFor({
  file,
  interfaces,
  member,
  sources,
  compilerOptions,
}: Addition): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'addition-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const declarations = interfaces.map((name) => `interface ${name} { ${member} }`)
  writeFileSync(
    join(folder, 'addition.ts'),
    `declare module '${relative(folder, join(ROOT, file))}' {\n` +
      `${declarations.join('\n')}\n}\nexport {}\n`,
  )
  const files = globSync(sources, { cwd: ROOT }).filter(
    (one) => !/[.]test(-support)?[.]ts$/.test(one),
  )
  const config = {
    extends: join(ROOT, 'tsconfig.base.json'),
    compilerOptions: {
      ...compilerOptions,
      composite: false,
      emitDeclarationOnly: false,
      outDir: null,
      noEmit: true,
    },
    files: [join(folder, 'addition.ts'), ...files.map((one) => join(ROOT, one))],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  // Each of the usual four checkers resolves the libraries again: thrice the CPU time.
  const options = [TSC, '--project', folder, '--pretty', 'false', '--checkers', '1']
  const { stdout } = spawnSync(process.execPath, options, { cwd: ROOT, encoding: 'utf8' })
  const withErrors = [...stdout.matchAll(/^(\S.*)\(\d+,\d+\): error /gm)].map(([, one = '']) => one)
  return [...new Set(withErrors)].sort()
}
