// Installs every public package from its tarball, outside the workspace, with npm and with pnpm; compiles a program that
// imports all of it, runs it and the examples, and measures domain and client as a browser loads them: `pnpm check:packed`.
// With --all also each package alone, with TypeScript 5.9, and on Node 22 and 26, Bun and Deno, which npm downloads.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { checkAdapterExample } from './adapter-example.ts'
import { ROOT, readPublicPackages } from './public-packages.ts'
import { run } from './run-command.ts'

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

/** What the name of a command and its version are in a report, and how to start it. */
interface Tool {
  readonly title: string
  readonly command: readonly string[]
}
type Tarballs = Readonly<Record<string, string>>

const NODE: Tool = { title: `Node ${process.versions.node}`, command: [process.execPath] }

const start = Date.now()
const isAll = process.argv.includes('--all')
const packages = readPublicPackages()
const folder = mkdtempSync(join(tmpdir(), 'pet-store-packed-'))
try {
  const compilers = [
    await toolOf('TypeScript', [
      ...NODE.command,
      join(ROOT, 'node_modules/@typescript/native/bin/tsc'),
      '--ignoreConfig',
    ]),
    await toolOf('TypeScript', [...NODE.command, join(ROOT, 'node_modules/typescript/lib/tsc.js'), '--ignoreConfig']),
    ...(isAll ? [await download('TypeScript', 'typescript@5.9', 'tsc')] : []),
  ]
  const nodes = [NODE, ...(isAll ? [await download('Node', 'node@22'), await download('Node', 'node@26')] : [])]
  // Domain and client need nothing of Node.
  const others = isAll ? [await download('Bun', 'bun@1'), await download('Deno', 'deno@2', 'deno', ['-A'])] : []

  await run(ROOT, [...NODE.command, 'tools/turbo-quietly.ts', 'build'])
  const tarballs: Record<string, string> = {}
  // One after the other: each starts a build, which finds nothing to do.
  for (const one of packages) tarballs[one.name] = await pack(one.folder)
  report(`built and packed ${packages.length} packages`)
  await all([
    checkProject('npm', tarballs, compilers, nodes, others),
    checkProject('pnpm', tarballs, compilers, nodes, others),
    checkAdapterExample(tarballs, folder).then(report),
    ...(isAll ? packages.map(({ name }) => checkAlone(name, tarballs, compilers.slice(0, 1))) : []),
  ])
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true })
}

/** Waits for all of them, then rejects with what each that failed says. */
async function all(tasks: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(tasks)
  const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
  if (failed.length > 0) throw new Error(failed.map((error) => (error as Error).message).join('\n\n'))
}

function report(line: string): void {
  console.log(`${line} (${Math.round((Date.now() - start) / 1000)} s)`)
}

async function toolOf(name: string, command: readonly string[]): Promise<Tool> {
  const version = /\d+\.\d+\.\d+/.exec(await run(tmpdir(), [...command, '--version']))?.[0]
  return { title: `${name} ${version}`, command }
}

/** A command of a package, which npm downloads unless it has it. */
async function download(name: string, spec: string, bin = spec.replace(/@.*/, ''), options: readonly string[] = []) {
  const path = await run(tmpdir(), ['npx', '-y', '-p', spec, '-c', `command -v ${bin}`])
  return toolOf(name, [path.trim(), ...options])
}

async function pack(source: string): Promise<string> {
  const target = join(folder, source)
  mkdirSync(target, { recursive: true })
  await run(join(ROOT, source), ['pnpm', 'pack', '--pack-destination', target])
  return `file:${join(target, readdirSync(target).find((file) => file.endsWith('.tgz')) ?? '')}`
}

/** A project with every package: all of it compiles, and the examples run. */
async function checkProject(
  installer: 'npm' | 'pnpm',
  tarballs: Tarballs,
  compilers: readonly Tool[],
  nodes: readonly Tool[],
  others: readonly Tool[],
): Promise<void> {
  const project = await install(installer, installer, tarballs, Object.keys(tarballs))
  const entries = `${packages.flatMap((one) => one.entries).length} entries`
  addExamples(project)
  report(`${installer}: installed ${Object.keys(tarballs).length} packages`)
  const compiling = compilers.flatMap((compiler) =>
    ['nodenext', 'bundler'].map(async (resolution) => {
      await compile(project, compiler, resolution, ['all.ts', ...COMPILED])
      report(`${installer}: ${compiler.title} (${resolution}) compiles ${entries} and the examples`)
    }),
  )
  const running = nodes.map(async (node) => {
    await all([run(project, [...node.command, 'all.ts']), ...runExamples(project, node), runKiosk(project, node, true)])
    report(`${installer}: ${node.title} runs ${entries}, ${[...Object.keys(EXAMPLES), ...KIOSK].join(', ')}`)
  })
  const runningElsewhere = others.map(async (runtime) => {
    await all([...runExamples(project, runtime), runKiosk(project, runtime, false)])
    report(`${installer}: ${runtime.title} runs ${[...Object.keys(EXAMPLES), 'kiosk.ts'].join(', ')}`)
  })
  const sizes = installer === 'npm' ? Object.entries(MAX_BYTES).map(([name, max]) => checkSize(project, name, max)) : []
  await all([...sizes, ...compiling, ...running, ...runningElsewhere])
}

/** Projects with this package alone. */
async function checkAlone(name: string, tarballs: Tarballs, compilers: readonly Tool[]): Promise<void> {
  for (const installer of ['npm', 'pnpm'] as const) {
    const project = await install(installer, `${installer}-${name.replace('/', '-')}`, tarballs, [name])
    for (const compiler of compilers) await compile(project, compiler, 'nodenext', ['all.ts'])
    await run(project, [...NODE.command, 'all.ts'])
  }
  report(`${name} alone, by npm and by pnpm: compiles and runs`)
}

/** A project with these packages and the types of Node, and a program that imports all that they export. */
async function install(
  installer: 'npm' | 'pnpm',
  projectName: string,
  tarballs: Tarballs,
  names: readonly string[],
): Promise<string> {
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
  await run(project, [installer, 'install', '--ignore-scripts', '--prefer-offline', ...options])

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

function runExamples(project: string, { command }: Tool): readonly Promise<string>[] {
  return Object.entries(EXAMPLES).map(([program, input]) => run(project, [...command, program], { input }))
}

/** Runs the kiosk against a service, and may have it write its contract, which must be the committed one. */
async function runKiosk(project: string, { title, command }: Tool, writesContract: boolean): Promise<void> {
  const service = spawn(process.execPath, ['service.ts'], { cwd: project, stdio: ['ignore', 'pipe', 'inherit'] })
  const pacts = join(project, `pacts of ${title}`)
  try {
    const [line] = (await once(service.stdout.setEncoding('utf8'), 'data')) as [string]
    const [, key = '', url = ''] = /Bearer (\w+)' (\S+)\/pets/.exec(line) ?? []
    const env = { ...process.env, PET_STORE_URL: url, PET_STORE_KEY: key, PACT_DO_NOT_TRACK: 'true' }
    const shown = await run(project, [...command, 'kiosk.ts', 'Rex', '9223372036854775807'], { env })
    if (!shown.includes('1: Rex (category 9223372036854775807)')) throw new Error(`kiosk.ts printed: ${shown}`)
    if (!writesContract) return
    await run(project, [...command, 'kiosk-contract.ts', pacts], { env })
  } finally {
    service.kill()
  }
  const [written, committed] = [pacts, join(ROOT, 'packages/contracts/pacts')].map((place) =>
    readFileSync(join(place, 'kiosk-pet-store.json'), 'utf8').trimEnd(),
  )
  if (written !== committed) throw new Error('kiosk-contract.ts wrote another contract than the committed one.')
}

/** Strictly, and with the declarations of everything that is imported. */
async function compile(project: string, compiler: Tool, resolution: string, files: readonly string[]): Promise<void> {
  const module = resolution === 'bundler' ? 'esnext' : resolution
  const modules = ['--module', module, '--moduleResolution', resolution]
  const options = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2023', '--lib', 'es2023,dom']
  await run(project, [...compiler.command, ...options, '--types', 'node', ...modules, ...files])
}

/** Bundles everything that a package exports for a browser, minified and compressed. */
async function checkSize(project: string, name: string, maxBytes: number): Promise<void> {
  const entry = `${basename(name)}.js`
  writeFileSync(join(project, entry), `export * from '${name}'`)
  const esbuild = createRequire(createRequire(import.meta.url).resolve('tsup')).resolve('esbuild/bin/esbuild')
  const options = ['--bundle', '--minify', '--format=esm', '--platform=browser']
  const bytes = gzipSync(await run(project, [...NODE.command, esbuild, entry, ...options])).length
  report(`${name} in a browser: ${bytes} bytes of at most ${maxBytes}`)
  if (bytes > maxBytes) throw new Error(`${name} has ${bytes} bytes, more than ${maxBytes}.`)
}
