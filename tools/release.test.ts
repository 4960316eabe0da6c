import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

/** A repository with one package, and a `pnpm` that writes its arguments to a file instead of publishing. */
function makeRepository() {
  const root = mkdtempSync(join(tmpdir(), 'release-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const folder of ['tools', 'bin', 'docs', 'packages/domain', '.changeset']) {
    mkdirSync(join(root, folder), { recursive: true })
  }
  for (const tool of ['release.ts', 'public-packages.ts']) {
    cpSync(join(import.meta.dirname, tool), join(root, 'tools', tool))
  }
  const write = (file: string, text: string) => writeFileSync(join(root, file), text)
  const manifest = (file: string, more: object) => write(file, JSON.stringify({ type: 'module', ...more }))
  manifest('package.json', { name: 'pet-store', private: true })
  manifest('packages/domain/package.json', { name: '@pet-store/domain', version: '0.1.0', exports: {} })
  for (const file of ['docs/openapi.json', 'docs/openapi-released.json']) write(file, '{}')
  const calls = join(root, '.git/calls')
  const script = `#!/bin/sh\necho "$*" >> '${calls}'\necho '[{"id":"@pet-store/domain@0.1.0","size":17000,"files":[{"path":"dist/index.js"}]}]'\n`
  writeFileSync(join(root, 'bin/pnpm'), script, { mode: 0o755 })
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@localhost', ...args], { cwd: root })
  git('init', '-q')
  const commit = () => {
    git('add', '-A')
    git('commit', '-q', '--no-verify', '-m', 'x')
  }
  commit()
  return {
    write,
    commit,
    read: (file: string) => readFileSync(join(root, file), 'utf8'),
    calls: () => (existsSync(calls) ? readFileSync(calls, 'utf8').trimEnd().split('\n') : []),
    run(...args: string[]) {
      const env = { ...process.env, PATH: join(root, 'bin') + delimiter + process.env['PATH'] }
      const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'tools/release.ts'), ...args], {
        encoding: 'utf8',
        env,
      })
      return { status, output: stdout + stderr }
    },
  }
}

it('a release stops without a public address, and a dry run names it', () => {
  const { run, calls } = makeRepository()
  for (const command of ['stage', 'publish']) {
    const { status, output } = run(command)
    expect({ status, output }).toEqual({ status: 1, output: expect.stringContaining('Missing: the public address') })
  }
  expect(calls()).toEqual([])

  const { status, output } = run('dry-run', '--files')
  expect({ status, output }).toEqual({ status: 0, output: expect.stringContaining('Missing: the public address') })
  expect(output).toContain('@pet-store/domain@0.1.0: 1 files, 17 kB\n  dist/index.js\n')
  expect(calls()).toEqual(['publish -r --no-git-checks --access public --dry-run --json'])
})

it('a release states the public address in every manifest, and stages the packages with provenance', () => {
  const { run, calls, commit, read } = makeRepository()
  expect(run('repository', 'git@host:pet-store').status).toBe(1)
  expect(run('repository', 'https://host.example/pet-store').status).toBe(0)
  expect(JSON.parse(read('packages/domain/package.json'))).toMatchObject({
    name: '@pet-store/domain',
    repository: { type: 'git', url: 'git+https://host.example/pet-store.git', directory: 'packages/domain' },
  })
  expect(run('stage')).toEqual({ status: 1, output: expect.stringContaining('Missing: a commit of 2 changed files') })
  expect(calls()).toEqual([])

  commit()
  expect(run('stage').status).toBe(0)
  expect(calls()).toEqual(['stage publish --provenance -r --no-git-checks --access public'])
})

it('a release stops at changesets that are in no version, and at another released description', () => {
  const { run, calls, commit, write } = makeRepository()
  run('repository', 'https://host.example/pet-store')
  write('.changeset/one.md', '')
  write('docs/openapi.json', '{"openapi":"3.1.0"}')
  commit()
  const { status, output } = run('stage')
  expect(status).toBe(1)
  expect(output).toContain('Missing: 1 changesets are in no version yet')
  expect(output).toContain('Missing: the released description')
  expect(calls()).toEqual([])
})
