import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { ROOT } from '../root.ts'

const TSC = join(ROOT, 'node_modules/@typescript/native/bin/tsc')

/** What is added to interfaces of a file. */
export interface Addition {
  readonly file: string
  readonly interfaces: readonly string[]
  /** A member, as it stands in an interface, with a name that no other addition has. */
  readonly member: string
}

/**
 * Compiles sources once with all the additions. Returns the files that the compiler names for each
 * of them: in its errors that name the member, or that name none of the members.
 */
export function filesNamedFor(
  additions: readonly Addition[],
  sources: string,
  compilerOptions: object,
): (addition: Addition) => readonly string[] {
  const errors = errorsWith(additions, sources, compilerOptions)
  return (addition) => {
    const others = additions.filter((one) => one !== addition)
    const about = (error: string, { member }: Addition) =>
      error.includes(`'${/\w+(?=[?:(])/.exec(member)?.[0]}'`)
    const own = errors.filter(
      (error) => about(error, addition) || !others.some((other) => about(error, other)),
    )
    return [...new Set(own.map((error) => error.replace(/\([\s\S]*/, '')))].sort()
  }
}

/** The compiler's errors, each with all its lines. */
function errorsWith(
  additions: readonly Addition[],
  sources: string,
  compilerOptions: object,
): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'additions-'))
  const added = additions.map(({ file, interfaces, member }, index) => {
    const declarations = interfaces.map((name) => `interface ${name} { ${member} }`)
    const path = join(folder, `addition-${index}.ts`)
    writeFileSync(
      path,
      `declare module '${relative(folder, join(ROOT, file))}' {\n` +
        `${declarations.join('\n')}\n}\nexport {}\n`,
    )
    return path
  })
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
    files: [...added, ...files.map((one) => join(ROOT, one))],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  // Each of the usual four checkers resolves the libraries again: thrice the CPU time.
  const options = [TSC, '--project', folder, '--pretty', 'false', '--checkers', '1']
  const { stdout } = spawnSync(process.execPath, options, { cwd: ROOT, encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  return stdout.split(/\n(?=\S)/).filter((error) => /^\S.*\(\d+,\d+\): error /.test(error))
}
