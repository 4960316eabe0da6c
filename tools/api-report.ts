// Compares the declarations that packages publish with the committed ones in docs/api: `pnpm api`, after `pnpm build`.
// `pnpm api --update` writes them. A removed or changed declaration can break users, a new one cannot.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import ts from 'typescript'
import { type PublicPackage, ROOT, readPublicPackages } from './public-packages.ts'

const GUARDED = ['domain', 'access', 'persistence', 'persistence-testing', 'http-express', 'client']

const isUpdate = process.argv.includes('--update')
for (const one of readPublicPackages().filter(({ folder }) => GUARDED.includes(basename(folder)))) {
  const file = join(ROOT, 'docs/api', `${basename(one.folder)}.txt`)
  const report = reportOf(one)
  if (isUpdate) {
    mkdirSync(join(ROOT, 'docs/api'), { recursive: true })
    writeFileSync(file, report)
  } else compare(one.name, statementsIn(readFileSync(file, 'utf8')), statementsIn(report))
}

function compare(name: string, committed: ReadonlySet<string>, current: ReadonlySet<string>): void {
  const removed = [...committed].filter((statement) => !current.has(statement))
  const added = [...current].filter((statement) => !committed.has(statement))
  if (removed.length + added.length === 0) return
  process.exitCode = 1
  console.error(
    `${name}: ${removed.length > 0 ? 'can break users' : 'has new declarations'}; pnpm api --update accepts it.`,
  )
  for (const statement of removed) console.error(statement.replaceAll(/^/gm, '- '))
  for (const statement of added) console.error(statement.replaceAll(/^/gm, '+ '))
}

function statementsIn(report: string): ReadonlySet<string> {
  return new Set(report.trimEnd().split('\n\n'))
}

/** Every declaration of the package that its entries reach, by name and without comments, so that moves change nothing. */
function reportOf({ name, folder, entries }: PublicPackage): string {
  const missing = entries.find(({ types }) => !existsSync(join(ROOT, folder, types)))
  if (missing !== undefined) throw new Error(`${name} is not built: ${missing.types} is missing. Run pnpm build first.`)
  const own = join(ROOT, folder, 'dist')
  const program = ts.createProgram(
    entries.map(({ types }) => join(ROOT, folder, types)),
    { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, skipLibCheck: true },
  )
  const printer = ts.createPrinter({ removeComments: true })
  const statements = program
    .getSourceFiles()
    .filter(({ fileName }) => fileName.startsWith(own))
    .flatMap((source) =>
      source.statements
        .filter((statement) => !ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement))
        .map((statement) => printer.printNode(ts.EmitHint.Unspecified, statement, source)),
    )
  const checker = program.getTypeChecker()
  const exported = entries.flatMap(({ specifier, types }) => {
    const source = program.getSourceFile(join(ROOT, folder, types))
    const symbol = source && checker.getSymbolAtLocation(source)
    const names = symbol === undefined ? [] : checker.getExportsOfModule(symbol).map(({ name }) => name)
    return names.sort().map((name) => ({ name, line: `export ${name} from ${specifier}` }))
  })
  // What the exports name, and what that names in turn; the rest is internal.
  const reached = new Set<string>()
  const identifiers = new Set(exported.map(({ name }) => name))
  for (let size = -1; size !== reached.size; ) {
    size = reached.size
    for (const statement of statements) {
      const [, name = ''] = /(?:class|function|const|interface|type|enum) (\w+)/.exec(statement) ?? []
      if (!identifiers.has(name) || reached.has(statement)) continue
      reached.add(statement)
      for (const identifier of statement.match(/[A-Za-z_$][\w$]*/g) ?? []) identifiers.add(identifier)
    }
  }
  return `${[...exported.map(({ line }) => line), ...[...reached].sort()].join('\n\n')}\n`
}
