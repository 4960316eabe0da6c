// Installs every public package from its tarball, outside the workspace, with npm and with pnpm;
// compiles a program that imports all of it, runs it and the examples, and measures domain and
// client as a browser loads them: `pnpm check:packed`. With --all also with TypeScript 5.9, and on
// Node 22 and 26, Bun and Deno, which npm downloads.
//
// publint and attw (`pnpm check:package`) read what a package says of itself; whether it installs,
// compiles and runs elsewhere, and what a bundle weighs, only doing that shows.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { startProgram, waitForOutput } from '../../packages/testing/src/index.ts'
import { ROOT } from '../root.ts'
import { run } from '../run-command.ts'
import { checkAdapterExample } from './adapter-example.ts'
import { packAll } from './pack.ts'
import { readPublicPackages } from './public-packages.ts'

/** The limits, in bytes after gzip, that the READMEs state. */
const MAX_BYTES = { '@pet-store/domain': 2_048, '@pet-store/client': 4_000 }
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

type Command = readonly string[]
const NODE: Command = [process.execPath]

const folder = mkdtempSync(join(tmpdir(), 'pet-store-packed-'))
try {
  const compilers: Command[] = [
    'node_modules/@typescript/native/bin/tsc',
    'tools/node_modules/typescript/lib/tsc.js',
  ].map((tsc) => [...NODE, join(ROOT, tsc), '--ignoreConfig'])
  const nodes: Command[] = [NODE]
  // Domain and client need nothing of Node.
  const others: Command[] = []
  if (process.argv.includes('--all')) {
    compilers.push([await download('typescript@5.9', 'tsc')])
    nodes.push([await download('node@22')], [await download('node@26')])
    others.push([await download('bun@1')], [await download('deno@2'), '-A'])
  }
  const tarballs = Object.fromEntries(
    (await packAll(join(folder, 'tarballs'))).map(({ name, filename }) => [
      name,
      `file:${filename}`,
    ]),
  )
  const results = await Promise.allSettled([
    ...(['npm', 'pnpm'] as const).map(async (installer) => {
      const project = await install(installer, tarballs)
      for (const compiler of compilers) {
        for (const resolution of ['nodenext', 'bundler'])
          await compile(project, compiler, resolution)
      }
      for (const node of nodes) {
        await run(project, [...node, 'all.ts'])
        await runExamples(project, node)
      }
      for (const runtime of others) await runExamples(project, runtime)
      console.log(
        `${installer}: installs, compiles and runs ${Object.keys(tarballs).length} packages ` +
          'and the examples',
      )
    }),
    checkAdapterExample(tarballs, folder).then(console.log),
  ])
  const failed = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as Error] : [],
  )
  if (failed.length > 0) throw new Error(failed.map(({ message }) => message).join('\n\n'))
  for (const [name, maxBytes] of Object.entries(MAX_BYTES))
    await checkSize(join(folder, 'npm'), name, maxBytes)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true })
}

/** The path of a command of a package, which npm downloads unless it has it. */
async function download(spec: string, bin = spec.replace(/@.*/, '')): Promise<string> {
  return (await run(tmpdir(), ['npx', '-y', '-p', spec, '-c', `command -v ${bin}`])).trim()
}

/** A project with every package, a program that imports all that they export, and the examples. */
async function install(
  installer: 'npm' | 'pnpm',
  tarballs: Readonly<Record<string, string>>,
): Promise<string> {
  const project = join(folder, installer)
  mkdirSync(project)
  const dependencies = {
    ...tarballs,
    '@types/node': installedVersion('@types/node', ROOT),
    '@pact-foundation/pact': installedVersion('@pact-foundation/pact', join(ROOT, 'examples')),
  }
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies }),
  )
  if (installer === 'pnpm') {
    copyFileSync(join(folder, 'tarballs/pnpm-workspace.yaml'), join(project, 'pnpm-workspace.yaml'))
  }
  const options = installer === 'npm' ? ['--ignore-scripts', '--no-audit', '--no-fund'] : []
  await run(project, [installer, 'install', '--prefer-offline', ...options])

  const specifiers = readPublicPackages().flatMap((one) => one.specifiers)
  const lines = specifiers.map(
    (specifier, index) => `import * as m${index} from '${specifier}'; console.log(m${index})`,
  )
  writeFileSync(join(project, 'all.ts'), lines.join('\n'))
  for (const example of [...Object.keys(EXAMPLES), ...KIOSK]) {
    copyFileSync(join(ROOT, 'examples', example), join(project, example))
  }
  const readme = readFileSync(join(ROOT, 'packages/http-express/README.md'), 'utf8')
  writeFileSync(join(project, 'service.ts'), /^```ts\n(.*?)^```/ms.exec(readme)?.[1] ?? '')
  return project
}

function installedVersion(name: string, from: string): string {
  const manifest = readFileSync(join(from, 'node_modules', name, 'package.json'), 'utf8')
  return (JSON.parse(manifest) as { readonly version: string }).version
}

/**
 * Runs the examples; the kiosk against a service, and on Node has it write its contract, which must
 * be the committed one.
 */
async function runExamples(project: string, command: Command): Promise<void> {
  for (const [program, input] of Object.entries(EXAMPLES))
    await run(project, [...command, program], { input })
  const service = startProgram({ args: ['service.ts'], cwd: project })
  try {
    const url = await waitForOutput(service, /' (\S+)\/pets/)
    const key = await waitForOutput(service, /Bearer (\w+)/)
    const env = {
      ...process.env,
      PET_STORE_URL: url,
      PET_STORE_KEY: key,
      PACT_DO_NOT_TRACK: 'true',
    }
    const shown = await run(project, [...command, 'kiosk.ts', 'Rex', '9223372036854775807'], {
      env,
    })
    if (!shown.includes('1: Rex (category 9223372036854775807)'))
      throw new Error(`kiosk.ts printed: ${shown}`)
    if (!basename(command[0] ?? '').startsWith('node')) return
    await run(project, [...command, 'kiosk-contract.ts', join(project, 'pacts')], { env })
  } finally {
    await service.end()
  }
  const contractIn = (folder: string) =>
    readFileSync(join(folder, 'kiosk-pet-store.json'), 'utf8').trimEnd()
  const written = contractIn(join(project, 'pacts'))
  const committed = contractIn(join(ROOT, 'packages/contracts/pacts'))
  if (written !== committed)
    throw new Error('kiosk-contract.ts wrote another contract than the committed one.')
}

/** Strictly, and with the declarations of everything that is imported. */
async function compile(project: string, compiler: Command, resolution: string): Promise<void> {
  const module = resolution === 'bundler' ? 'esnext' : resolution
  const modules = ['--module', module, '--moduleResolution', resolution]
  const options = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    'false',
    '--target',
    'es2023',
    '--lib',
    'es2023,dom',
  ]
  await run(project, [
    ...compiler,
    ...options,
    '--types',
    'node',
    ...modules,
    'all.ts',
    ...COMPILED,
  ])
}

/** Bundles everything that a package exports for a browser, minified and compressed. */
async function checkSize(project: string, name: string, maxBytes: number): Promise<void> {
  const entry = `${basename(name)}.js`
  writeFileSync(join(project, entry), `export * from '${name}'`)
  const esbuild = createRequire(createRequire(import.meta.url).resolve('tsup')).resolve(
    'esbuild/bin/esbuild',
  )
  const options = ['--bundle', '--minify', '--format=esm', '--platform=browser']
  const bytes = gzipSync(await run(project, [...NODE, esbuild, entry, ...options])).length
  console.log(`${name} in a browser: ${bytes} bytes of at most ${maxBytes}`)
  if (bytes > maxBytes) throw new Error(`${name} has ${bytes} bytes, more than ${maxBytes}.`)
}
