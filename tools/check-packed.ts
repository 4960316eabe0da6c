// Installs every public package from its tarball, outside the workspace, with npm and with pnpm; compiles a program that
// imports all of it, runs it and the examples, and measures domain and client as a browser loads them: `pnpm check:packed`.
// With --all also on Node 22 and 26 and with TypeScript 5.9, which npm downloads.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ROOT, readPublicPackages } from './public-packages.ts'

/** The limits, in bytes after gzip, that the READMEs state. */
const MAX_BYTES = { '@pet-store/domain': 2_048, '@pet-store/client': 4_096 }
/** Packages without dependencies of others: their declarations are checked with all that they import. */
const SELF_CONTAINED = /^@pet-store\/(domain|access|client|persistence|persistence-testing)(\/|$)/
const EXAMPLES = ['reuse-the-domain.ts', 'queue-consumer.ts']
const NODE = [process.execPath]
const local = (path: string) => [...NODE, join(ROOT, 'node_modules', path), '--ignoreConfig']
const downloaded = (name: string, command: string) => ['npx', '-y', '-p', name, command]

const isAll = process.argv.includes('--all')
const COMPILERS = [local('@typescript/native/bin/tsc'), local('typescript/lib/tsc.js')]
if (isAll) COMPILERS.push(downloaded('typescript@5.9', 'tsc'))
const RUNTIMES = isAll ? [NODE, downloaded('node@22', 'node'), downloaded('node@26', 'node')] : [NODE]

const packages = readPublicPackages()
const specifiers = packages.flatMap(({ entries }) => entries.map(({ specifier }) => specifier))
const folder = mkdtempSync(join(tmpdir(), 'pet-store-packed-'))
try {
  const tarballs = Object.fromEntries(packages.map((one) => [one.name, pack(one.folder)]))
  for (const installer of ['npm', 'pnpm'] as const) {
    const project = install(installer, tarballs)
    compile(project)
    for (const runtime of RUNTIMES) for (const program of ['all.ts', ...EXAMPLES]) run(project, [...runtime, program])
    console.log(`${installer}: ${specifiers.length} entries compile and run.`)
  }
  for (const [name, maxBytes] of Object.entries(MAX_BYTES)) {
    const bytes = sizeOf(name)
    console.log(`${name}: ${bytes} bytes of at most ${maxBytes}.`)
    if (bytes > maxBytes) process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true })
}

function pack(source: string): string {
  const target = join(folder, source)
  mkdirSync(target, { recursive: true })
  run(join(ROOT, source), ['pnpm', 'pack', '--pack-destination', target])
  return `file:${join(target, readdirSync(target).find((file) => file.endsWith('.tgz')) ?? '')}`
}

/** A project that has nothing but the tarballs and the types of Node, and programs that import all of them. */
function install(installer: 'npm' | 'pnpm', tarballs: Readonly<Record<string, string>>): string {
  const project = join(folder, installer)
  mkdirSync(project)
  const types = readFileSync(join(ROOT, 'node_modules/@types/node/package.json'), 'utf8')
  const dependencies = { ...tarballs, '@types/node': (JSON.parse(types) as { version: string }).version }
  const overrides = installer === 'npm' ? tarballs : {}
  const manifest = { name: 'consumer', private: true, type: 'module', dependencies, overrides }
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest))
  const lines = Object.entries(tarballs).map(([name, file]) => `  '${name}': '${file}'\n`)
  writeFileSync(join(project, 'pnpm-workspace.yaml'), `packages: []\noverrides:\n${lines.join('')}`)
  const options = installer === 'npm' ? ['--no-audit', '--no-fund'] : []
  run(project, [installer, 'install', '--ignore-scripts', '--prefer-offline', ...options])

  const importing = (names: readonly string[]) =>
    names.map((name, index) => `import * as m${index} from '${name}'\nconsole.log(m${index})\n`).join('')
  writeFileSync(join(project, 'all.ts'), importing(specifiers))
  writeFileSync(join(project, 'strict.ts'), importing(specifiers.filter((name) => SELF_CONTAINED.test(name))))
  for (const example of EXAMPLES) copyFileSync(join(ROOT, 'examples', example), join(project, example))
  return project
}

function compile(project: string): void {
  const common = ['--noEmit', '--strict', '--target', 'es2023', '--lib', 'es2023,dom', '--types', 'node']
  for (const compiler of COMPILERS) {
    for (const [module, resolution] of [['nodenext'], ['esnext', 'bundler']] as const) {
      const modules = ['--module', module, '--moduleResolution', resolution ?? module]
      run(project, [...compiler, ...common, ...modules, '--skipLibCheck', 'true', 'all.ts'])
      run(project, [...compiler, ...common, ...modules, '--skipLibCheck', 'false', 'strict.ts'])
    }
  }
}

/** The bytes of everything that a package exports, bundled for a browser, minified and compressed. */
function sizeOf(name: string): number {
  const project = join(folder, 'npm')
  writeFileSync(join(project, 'entry.js'), `export * from '${name}'`)
  const esbuild = createRequire(createRequire(import.meta.url).resolve('tsup')).resolve('esbuild/bin/esbuild')
  const options = ['--bundle', '--minify', '--format=esm', '--platform=browser']
  return gzipSync(run(project, [...NODE, esbuild, 'entry.js', ...options])).length
}

function run(cwd: string, [command = '', ...args]: readonly string[]): string {
  return execFileSync(command, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
}
