// Compiles the code samples of the description, each with the tool of its language, and says which languages were not checked
// because their tool is not installed: `pnpm check:samples`. Tests of http-express run all but the Go samples.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './public-packages.ts'
import { run } from './run-command.ts'

interface Sample {
  readonly lang: string
  readonly source: string
}
interface Operation {
  readonly operationId: string
  readonly 'x-codeSamples'?: readonly Sample[]
}
interface Language {
  readonly file: string
  readonly version: readonly string[]
  readonly check: (files: readonly string[]) => readonly string[]
}

const TSC = [process.execPath, join(ROOT, 'node_modules/@typescript/native/bin/tsc')]
const TYPES = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node']
const STRICT = ['--ignoreConfig', '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023']
const PARSE_PYTHON = 'import ast, sys\nfor file in sys.argv[1:]: ast.parse(open(file).read(), file)'
const LANGUAGES: Readonly<Record<string, Language>> = {
  shell: { file: 'sample.sh', version: ['sh', '-c', 'echo sh'], check: (files) => ['sh', '-n', ...files] },
  typescript: {
    file: 'sample.mts',
    version: [...TSC, '--version'],
    check: (files) => [...TSC, ...STRICT, ...TYPES, ...files],
  },
  python: {
    file: 'sample.py',
    version: ['python3', '--version'],
    check: (files) => ['python3', '-c', PARSE_PYTHON, ...files],
  },
  go: {
    file: 'main.go',
    version: ['go', 'version'],
    // `go vet` takes the files of one program.
    check: (files) => ['sh', '-ec', 'for file; do go vet "$file"; done; test -z "$(gofmt -l "$@")"', 'sh', ...files],
  },
}
// The samples need no module, no other version of Go, and nothing from the network.
const ENV = { ...process.env, GO111MODULE: 'off', GOTOOLCHAIN: 'local', GOFLAGS: '' }

const folder = mkdtempSync(join(tmpdir(), 'pet-store-samples-'))
try {
  const { paths } = JSON.parse(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8')) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  }
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  for (const [lang, { file, version, check }] of Object.entries(LANGUAGES)) {
    const files = operations.flatMap(({ operationId, 'x-codeSamples': samples = [] }) => {
      const sources = samples.filter((sample) => sample.lang === lang).map(({ source }) => source)
      mkdirSync(join(folder, operationId, lang), { recursive: true })
      for (const source of sources) writeFileSync(join(folder, operationId, lang, file), `${source}\n`)
      return sources.map(() => join(folder, operationId, lang, file))
    })
    if (files.length === 0) throw new Error(`docs/openapi.json has no ${lang} samples.`)
    const title = await run(folder, version, { env: ENV }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return undefined
    })
    if (title !== undefined) await run(folder, check(files), { env: ENV })
    console.log(
      title === undefined
        ? `${lang}: NOT checked, ${version[0]} is not installed here`
        : `${lang}: ${files.length} samples compile (${title.trim()})`,
    )
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true })
}
