import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { CheckCache } from './check-cache.ts'

let root: string
const write = (file: string, text: string) => writeFileSync(join(root, file), text)
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' })

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'check-cache-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  git('init', '-q')
  write('.gitignore', 'node_modules/\n')
  write('one.ts', '1')
  write('one.md', '1')
  git('add', 'one.ts')
  for (const script of ['types', 'test']) CheckCache.open(false, root)?.add(script)
})

const passed = (isEmptied = false) => {
  const cache = CheckCache.open(isEmptied, root)
  return ['types', 'test', 'lint'].filter((script) => cache?.hasPassed(script))
}

it('the cache knows which checks have passed on the same files, and stages nothing', () => {
  expect(passed()).toEqual(['types', 'test'])
  expect(git('diff', '--cached', '--name-only')).toBe('one.ts\n')
})

it('the cache repeats everything when it is emptied', () => {
  expect(passed(true)).toEqual([])
})

it.each([
  ['a tracked file changes', 'one.ts', []],
  ['a file is new', 'two.ts', []],
  ['a document changes, the checks that read documents', 'one.md', ['types']],
  ['a file that git ignores changes, nothing', 'node_modules/one.ts', ['types', 'test']],
] as const)('the cache repeats after %s', (_what, file, expected) => {
  write(file, '2')
  expect(passed()).toEqual(expected)
})

it('the cache knows the files again after a change was taken back', () => {
  write('one.ts', '2')
  expect(passed()).toEqual([])
  write('one.ts', '1')
  expect(passed()).toEqual(['types', 'test'])
})

it('the cache does not add a check during which a file has changed', () => {
  const cache = CheckCache.open(true, root)
  write('one.ts', '2')
  cache?.add('lint')
  write('one.ts', '1')
  expect(passed()).toEqual(['types', 'test'])
})

it('there is no cache where there is no git', () => {
  rmSync(join(root, '.git'), { recursive: true })
  const ceiling = process.env['GIT_CEILING_DIRECTORIES']
  process.env['GIT_CEILING_DIRECTORIES'] = tmpdir()
  onTestFinished(() => {
    if (ceiling === undefined) delete process.env['GIT_CEILING_DIRECTORIES']
    else process.env['GIT_CEILING_DIRECTORIES'] = ceiling
  })
  expect(CheckCache.open(false, root)).toBeUndefined()
})
