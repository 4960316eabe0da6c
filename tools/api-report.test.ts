import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { ROOT, readPublicPackages } from './public-packages.ts'

const DECLARED = `/** Says hello. */
export declare function greet(name: string): Greeting
export interface Greeting { readonly text: string }
declare const internal: number
export {}
`
let root = ''

/** A repository whose domain publishes these declarations. */
function makeRepository(declarations: string): void {
  root = mkdtempSync(join(tmpdir(), 'api-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const folder of ['tools', 'packages/domain/dist']) mkdirSync(join(root, folder), { recursive: true })
  for (const tool of ['api-report.ts', 'public-packages.ts']) {
    cpSync(join(ROOT, 'tools', tool), join(root, 'tools', tool))
  }
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  const exports = { '.': { types: './dist/index.d.ts' } }
  writeFileSync(
    join(root, 'packages/domain/package.json'),
    JSON.stringify({ name: '@pet-store/domain', type: 'module', exports }),
  )
  publish(declarations)
}

function publish(declarations: string): void {
  writeFileSync(join(root, 'packages/domain/dist/index.d.ts'), declarations)
}

function report(...args: string[]) {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'tools/api-report.ts'), ...args], {
    encoding: 'utf8',
  })
  return { status, stderr }
}

it('the API report names what can break users and what is new, and ignores comments and what no export names', () => {
  makeRepository(DECLARED)
  expect(report('--update')).toEqual({ status: 0, stderr: '' })
  publish(DECLARED.replace('Says hello.', 'Greets.').replace(/declare const internal.*/, ''))
  expect(report()).toEqual({ status: 0, stderr: '' })

  const changed = DECLARED.replace('readonly text: string', 'readonly text: string | undefined')
  publish(`${changed.replace(/export.*greet.*/, '')}export declare const POLITE: boolean\n`)
  const { status, stderr } = report()
  expect(status).toBe(1)
  expect(stderr).toContain('@pet-store/domain: can break users; pnpm api --update accepts it.')
  expect(stderr).toContain('- export greet from @pet-store/domain')
  expect(stderr).toContain('-     readonly text: string;')
  expect(stderr).toContain('+     readonly text: string | undefined;')
  expect(stderr).toContain('+ export POLITE from @pet-store/domain')
})

it('the reference pages have every entry of the packages whose declarations are reported', () => {
  const { entryPoints } = JSON.parse(readFileSync(join(ROOT, 'typedoc.json'), 'utf8')) as { entryPoints: string[] }
  const reported = readPublicPackages().filter(({ folder }) =>
    existsSync(join(ROOT, 'docs/api', `${basename(folder)}.txt`)),
  )
  const entries = reported.flatMap(({ folder, entries }) => entries.map(({ types }) => join(folder, types)))
  expect(entries.length).toBeGreaterThan(5)
  expect([...entryPoints].sort()).toEqual(entries.sort())
})
