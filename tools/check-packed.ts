// Installs every public package from its tarball, outside the workspace, with npm and with pnpm; compiles a program that
// imports all of it, runs it and the examples, and measures domain and client as a browser loads them: `pnpm check:packed`.
// With --all also on Node 22 and 26 and with TypeScript 5.9, which npm downloads, and each package alone.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { checkAdapterExample } from './adapter-example.ts'
import { ROOT, readPublicPackages } from './public-packages.ts'

/** The limits, in bytes after gzip, that the READMEs state. */
const MAX_BYTES = { '@pet-store/domain': 2_048, '@pet-store/client': 4_096 }
/** Programs of examples/ with their standard input. */
const EXAMPLES: Readonly<Record<string, string>> = {
  'reuse-the-domain.ts': '',
  'stock-taking.ts': 'Rex,7,available\n',
  'queue-consumer.ts': '{"id":"m1","pet":{"name":"Rex","categoryId":"7"}}\n',
}
/** They call a service: the example of http-express's README. */
const KIOSK = ['kiosk.ts', 'kiosk-contract.ts']
/** Of the examples, those whose imports need no options of a compiler. */
const COMPILED = [...Object.keys(EXAMPLES), 'kiosk.ts', 'service.ts']

const isAll = process.argv.includes('--all')
/** Commands, by the version that they print. */
const COMPILERS = byVersion([
  [process.execPath, join(ROOT, 'node_modules/@typescript/native/bin/tsc'), '--ignoreConfig'],
  [process.execPath, join(ROOT, 'node_modules/typescript/lib/tsc.js'), '--ignoreConfig'],
  ...(isAll ? [['npx', '-y', '-p', 'typescript@5.9', 'tsc']] : []),
])
const RUNTIMES = byVersion([
  [process.execPath],
  ...(isAll ? ['22', '26'] : []).map((version) => [
    run(tmpdir(), ['npx', '-y', '-p', `node@${version}`, 'node', '-p', 'process.execPath']).trim(),
  ]),
])

const packages = readPublicPackages()
const specifiers = packages.flatMap(({ entries }) => entries.map(({ specifier }) => specifier))
const folder = mkdtempSync(join(tmpdir(), 'pet-store-packed-'))
try {
  const tarballs = Object.fromEntries(packages.map((one) => [one.name, pack(one.folder)]))
  for (const installer of ['npm', 'pnpm'] as const) {
    const project = install(installer, installer, tarballs, Object.keys(tarballs))
    addExamples(project)
    for (const compiler of COMPILERS.values()) {
      for (const resolution of ['nodenext', 'bundler']) compile(project, compiler, resolution, ['all.ts', ...COMPILED])
    }
    for (const node of RUNTIMES.values()) {
      run(project, [...node, 'all.ts'])
      for (const [program, input] of Object.entries(EXAMPLES)) run(project, [...node, program], input)
      await runKiosk(project, node)
    }
    const names = Object.keys(EXAMPLES).concat(KIOSK).join(', ')
    console.log(`${installer}: ${specifiers.length} entries and ${names}`)
    console.log(`  compile with TypeScript ${[...COMPILERS.keys()].join(', ')} (nodenext, bundler)`)
    console.log(`  run on Node ${[...RUNTIMES.keys()].join(', ')}`)
  }
  for (const { name } of isAll ? packages : []) {
    for (const installer of ['npm', 'pnpm'] as const) {
      const project = install(installer, `${installer}-${name.replace('/', '-')}`, tarballs, [name])
      for (const compiler of [...COMPILERS.values()].slice(0, 1)) compile(project, compiler, 'nodenext', ['all.ts'])
      run(project, [process.execPath, 'all.ts'])
    }
    console.log(`${name} alone: compiles and runs.`)
  }
  await checkAdapterExample(tarballs, folder)
  for (const [name, maxBytes] of Object.entries(MAX_BYTES)) {
    const bytes = sizeOf(name)
    console.log(`${name}: ${bytes} bytes of at most ${maxBytes}.`)
    if (bytes > maxBytes) process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true })
}

/** Commands by their version; each must have another one. */
function byVersion(commands: readonly (readonly string[])[]): ReadonlyMap<string, readonly string[]> {
  return new Map(
    commands.map((command) => [/\d+\.\d+\.\d+/.exec(run(tmpdir(), [...command, '--version']))?.[0] ?? '', command]),
  )
}

function pack(source: string): string {
  const target = join(folder, source)
  mkdirSync(target, { recursive: true })
  run(join(ROOT, source), ['pnpm', 'pack', '--pack-destination', target])
  return `file:${join(target, readdirSync(target).find((file) => file.endsWith('.tgz')) ?? '')}`
}

/** A project with these packages and the types of Node, and a program that imports all that they export. */
function install(
  installer: 'npm' | 'pnpm',
  projectName: string,
  tarballs: Readonly<Record<string, string>>,
  names: readonly string[],
): string {
  const project = join(folder, projectName)
  mkdirSync(project)
  const isComplete = names.length > 1
  const dependencies = {
    ...Object.fromEntries(names.map((name) => [name, tarballs[name]])),
    '@types/node': installedVersion('@types/node', ROOT),
    ...(isComplete && { '@pact-foundation/pact': installedVersion('@pact-foundation/pact', join(ROOT, 'examples')) }),
  }
  // Nothing is published yet, so what a package depends on comes from tarballs too.
  const overrides = installer === 'npm' ? tarballs : {}
  const manifest = { name: 'consumer', private: true, type: 'module', dependencies, overrides }
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest))
  const overridden = Object.entries(tarballs).map(([name, file]) => `  '${name}': '${file}'\n`)
  writeFileSync(join(project, 'pnpm-workspace.yaml'), `packages: []\noverrides:\n${overridden.join('')}`)
  const options = installer === 'npm' ? ['--no-audit', '--no-fund'] : []
  run(project, [installer, 'install', '--ignore-scripts', '--prefer-offline', ...options])

  const imported = packages.filter(({ name }) => names.includes(name)).flatMap(({ entries }) => entries)
  const lines = imported.map(
    ({ specifier }, index) => `import * as m${index} from '${specifier}'\nconsole.log(m${index})\n`,
  )
  writeFileSync(join(project, 'all.ts'), lines.join(''))
  return project
}

function addExamples(project: string): void {
  for (const example of [...Object.keys(EXAMPLES), ...KIOSK]) {
    copyFileSync(join(ROOT, 'examples', example), join(project, example))
  }
  const readme = readFileSync(join(ROOT, 'packages/http-express/README.md'), 'utf8')
  writeFileSync(join(project, 'service.ts'), /^```ts\n(.*?)^```/ms.exec(readme)?.[1] ?? '')
}

function installedVersion(name: string, from: string): string {
  const manifest = readFileSync(join(from, 'node_modules', name, 'package.json'), 'utf8')
  return (JSON.parse(manifest) as { readonly version: string }).version
}

/** Runs the kiosk against a service, and has it write its contract, which must be the committed one. */
async function runKiosk(project: string, node: readonly string[]): Promise<void> {
  const [command = '', ...args] = node
  const service = spawn(command, [...args, 'service.ts'], { cwd: project, stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [line] = (await once(service.stdout.setEncoding('utf8'), 'data')) as [string]
    const [, key = '', url = ''] = /Bearer (\w+)' (\S+)\/pets/.exec(line) ?? []
    const env = { ...process.env, PET_STORE_URL: url, PET_STORE_KEY: key, PACT_DO_NOT_TRACK: 'true' }
    const shown = run(project, [...node, 'kiosk.ts', 'Rex', '9223372036854775807'], '', env)
    if (!shown.includes('1: Rex (category 9223372036854775807)')) throw new Error(`kiosk.ts printed: ${shown}`)
    run(project, [...node, 'kiosk-contract.ts', 'pacts'], '', env)
  } finally {
    service.kill()
  }
  const [written, committed] = [join(project, 'pacts'), join(ROOT, 'packages/contracts/pacts')].map((pacts) =>
    readFileSync(join(pacts, 'kiosk-pet-store.json'), 'utf8').trimEnd(),
  )
  if (written !== committed) throw new Error('kiosk-contract.ts wrote another contract than the committed one.')
}

/** Strictly, and with the declarations of everything that is imported. */
function compile(project: string, compiler: readonly string[], resolution: string, files: readonly string[]): void {
  const module = resolution === 'bundler' ? 'esnext' : resolution
  const modules = ['--module', module, '--moduleResolution', resolution]
  const options = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2023', '--lib', 'es2023,dom']
  run(project, [...compiler, ...options, '--types', 'node', ...modules, ...files])
}

/** The bytes of everything that a package exports, bundled for a browser, minified and compressed. */
function sizeOf(name: string): number {
  const project = join(folder, 'npm')
  writeFileSync(join(project, 'entry.js'), `export * from '${name}'`)
  const esbuild = createRequire(createRequire(import.meta.url).resolve('tsup')).resolve('esbuild/bin/esbuild')
  const options = ['--bundle', '--minify', '--format=esm', '--platform=browser']
  return gzipSync(run(project, [process.execPath, esbuild, 'entry.js', ...options])).length
}

function run(
  cwd: string,
  [command = '', ...args]: readonly string[],
  input = '',
  env: NodeJS.ProcessEnv = process.env,
): string {
  return execFileSync(command, args, {
    cwd,
    env,
    input,
    stdio: ['pipe', 'pipe', 'inherit'],
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
}
