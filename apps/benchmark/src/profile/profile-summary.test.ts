import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { type CpuProfile, packageOf, summarise, withSources } from './profile-summary.ts'

const frame = (functionName: string, url = '', lineNumber = 9) => ({
  functionName,
  url,
  lineNumber,
  columnNumber: 0,
})

/** list (ours) calls all (the driver's), which calls native code; moments are 1,000 µs apart. */
const PROFILE: CpuProfile = {
  nodes: [
    { id: 1, callFrame: frame('(root)'), children: [2, 3, 4] },
    { id: 2, callFrame: frame('(idle)') },
    { id: 3, callFrame: frame('(garbage collector)') },
    { id: 4, callFrame: frame('list', 'file:///a/packages/domain/dist/index.js'), children: [5] },
    {
      id: 5,
      callFrame: frame('all', 'file:///a/node_modules/.pnpm/x@1/node_modules/better-sqlite3/lib/a.js'),
      children: [6],
    },
    { id: 6, callFrame: frame('step') },
  ],
  samples: [4, 4, 5, 6, 6, 3, 2, 2],
  timeDeltas: [0, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000],
  startTime: 10_000,
}

it('adds up each function without those that it calls, and leaves idle time out', () => {
  expect(summarise(PROFILE, 0).functions).toEqual([
    { name: 'list (@pet-store/domain, index.js:10)', part: 2 / 6 },
    { name: 'step (better-sqlite3, native)', part: 2 / 6 },
    { name: 'all (better-sqlite3, a.js:10)', part: 1 / 6 },
    { name: '(garbage collector)', part: 1 / 6 },
  ])
})

it('counts native code with the package that called it', () => {
  expect(summarise(PROFILE, 0).packages[0]).toEqual({ name: 'better-sqlite3', part: 3 / 6 })
})

it('leaves out what came before a moment', () => {
  expect(summarise(PROFILE, 15_000).packages).toEqual([{ name: '(garbage collector)', part: 1 }])
})

it('finds the sources of a bundle', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-profile-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const sources = ['../node_modules/pino/lib/time.js', '../packages/domain/src/pet.ts']
  // The first two lines of the bundle are the first line of one source and the third of the other.
  writeFileSync(join(folder, 'main.js.map'), JSON.stringify({ version: 3, sources, names: [], mappings: 'AAAA;ACEA' }))
  const bundle = pathToFileURL(join(folder, 'main.js')).href
  const nodes = [
    { id: 1, callFrame: frame('(root)'), children: [2, 3] },
    { id: 2, callFrame: frame('isoTime', bundle, 0) },
    { id: 3, callFrame: frame('validate', bundle, 1) },
  ]
  const found = summarise(withSources({ ...PROFILE, nodes, samples: [2, 2, 3], timeDeltas: [0, 2, 1] }), 0)
  expect(found.functions.map(({ name }) => name)).toEqual([
    'isoTime (pino, time.js:1)',
    'validate (@pet-store/domain, pet.ts:3)',
  ])
})

it('finds the package of a file', () => {
  expect(packageOf('node:internal/crypto/hash')).toBe('node')
  expect(packageOf('file:///w/node_modules/.pnpm/@a+b@1/node_modules/@a/b/dist/c.js')).toBe('@a/b')
  expect(packageOf('file:///w/apps/api/dist/main.js')).toBe('@pet-store/api')
  expect(packageOf('')).toBe('native')
})
