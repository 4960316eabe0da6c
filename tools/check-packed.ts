// Installs every public package from its tarball, outside the workspace, with npm and with pnpm; compiles a program that
// imports all of it, runs it and the examples, and measures domain and client as a browser loads them: `pnpm check:packed`.
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

const packages = readPublicPackages()
const folder = mkdtempSync(join(tmpdir(), 'pet-store-packed-'))
const run = (cwd: string, command: string, ...args: readonly string[]) =>
  execFileSync(command, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' })

try {
  const tarballs: Record<string, string> = {}
  for (const one of packages) {
    const target = join(folder, one.folder)
    mkdirSync(target, { recursive: true })
    run(join(ROOT, one.folder), 'pnpm', 'pack', '--pack-destination', target)
    tarballs[one.name] = `file:${join(target, readdirSync(target).find((file) => file.endsWith('.tgz')) ?? '')}`
  }
  const specifiers = packages.flatMap(({ entries }) => entries.map(({ specifier }) => specifier))
  const importAll = (names: readonly string[]) =>
    names
      .map(
        (name, index) =>
          `import * as m${index} from '${name}'\nconsole.log('${name}', Object.keys(m${index}).length)\n`,
      )
      .join('')

  for (const installer of ['npm', 'pnpm']) {
    const project = join(folder, installer)
    mkdirSync(project)
    const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules/@types/node/package.json'), 'utf8')) as {
      version: string
    }
    const dependencies = { ...tarballs, '@types/node': version }
    const manifest = {
      name: 'consumer',
      private: true,
      type: 'module',
      dependencies,
      overrides: installer === 'npm' ? tarballs : {},
    }
    writeFileSync(join(project, 'package.json'), JSON.stringify(manifest))
    if (installer === 'pnpm') {
      const overrides = Object.entries(tarballs).map(([name, file]) => `  '${name}': '${file}'\n`)
      writeFileSync(join(project, 'pnpm-workspace.yaml'), `packages: []\noverrides:\n${overrides.join('')}`)
    }
    run(
      project,
      installer,
      'install',
      '--ignore-scripts',
      '--prefer-offline',
      ...(installer === 'npm' ? ['--no-audit', '--no-fund'] : []),
    )

    writeFileSync(join(project, 'all.ts'), importAll(specifiers))
    writeFileSync(join(project, 'strict.ts'), importAll(specifiers.filter((name) => SELF_CONTAINED.test(name))))
    for (const compiler of ['@typescript/native/bin/tsc', 'typescript/lib/tsc.js']) {
      for (const [file, skipLibCheck] of [
        ['all.ts', true],
        ['strict.ts', false],
      ] as const) {
        for (const [module, resolution] of [
          ['nodenext', 'nodenext'],
          ['esnext', 'bundler'],
        ] as const) {
          run(
            project,
            process.execPath,
            join(ROOT, 'node_modules', compiler),
            '--ignoreConfig',
            '--noEmit',
            '--strict',
            '--target',
            'es2023',
            '--lib',
            'es2023,dom',
            '--types',
            'node',
            '--module',
            module,
            '--moduleResolution',
            resolution,
            '--skipLibCheck',
            String(skipLibCheck),
            file,
          )
        }
      }
    }
    const examples = ['reuse-the-domain.ts', 'queue-consumer.ts']
    for (const example of examples) {
      copyFileSync(join(ROOT, 'examples', example), join(project, example))
      run(project, process.execPath, example)
    }
    console.log(
      `${installer}: ${run(project, process.execPath, 'all.ts').trim().split('\n').length} entries import and compile.`,
    )
  }

  const esbuild = createRequire(createRequire(import.meta.url).resolve('tsup')).resolve('esbuild/bin/esbuild')
  for (const [name, maxBytes] of Object.entries(MAX_BYTES)) {
    const entry = join(folder, 'npm/entry.js')
    writeFileSync(entry, `export * from '${name}'`)
    const bundle = run(
      join(folder, 'npm'),
      process.execPath,
      esbuild,
      entry,
      '--bundle',
      '--minify',
      '--format=esm',
      '--platform=browser',
    )
    const bytes = gzipSync(bundle).length
    console.log(`${name}: ${bytes} bytes of at most ${maxBytes}.`)
    if (bytes > maxBytes) process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true })
}
