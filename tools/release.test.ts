import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { ROOT } from './public-packages.ts'

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
  write('packages/domain/README.md', '[security](../../SECURITY.md), [use](#use), [Pact](https://docs.pact.io)\n')
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

it('the links of READMEs lead to the public address, and follow it; a release stops at one that does not', () => {
  const { run, read, write, commit } = makeRepository()
  const README = 'packages/domain/README.md'
  for (const address of ['https://host.example/pet-store', 'https://elsewhere.example/pet-store.git']) {
    run('repository', address)
    const link = `${address.replace('.git', '')}/blob/HEAD/SECURITY.md`
    expect(read(README)).toBe(`[security](${link}), [use](#use), [Pact](https://docs.pact.io)\n`)
  }
  write(README, '[access](../access/README.md#use)')
  commit()
  expect(run('stage')).toEqual({
    status: 1,
    output: expect.stringContaining('Missing: the address in @pet-store/domain'),
  })
  run('repository', 'https://elsewhere.example/pet-store')
  expect(read(README)).toBe('[access](https://elsewhere.example/pet-store/blob/HEAD/packages/access/README.md#use)')
})

it('a release states the public address in every manifest, and stages the packages with provenance', () => {
  const { run, calls, commit, read } = makeRepository()
  expect(run('repository', 'git@host:pet-store').status).toBe(1)
  expect(run('repository', 'https://host.example/pet-store').status).toBe(0)
  expect(JSON.parse(read('packages/domain/package.json'))).toMatchObject({
    name: '@pet-store/domain',
    repository: { type: 'git', url: 'git+https://host.example/pet-store.git', directory: 'packages/domain' },
  })
  expect(run('stage')).toEqual({ status: 1, output: expect.stringContaining('Missing: a commit of 3 changed files') })
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

it('changesets version the public packages and the program; a new version of the domain is one of its dependents too', () => {
  const manifests = globSync('{packages,apps}/*/package.json', { cwd: ROOT })
    .concat('examples/package.json')
    .map((file) => JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as Record<string, unknown>)
  const namesOf = (isWanted: (manifest: Record<string, unknown>) => boolean) =>
    manifests.filter(isWanted).map(({ name }) => name)
  const { ignore, linked } = JSON.parse(readFileSync(join(ROOT, '.changeset/config.json'), 'utf8')) as {
    readonly ignore: readonly string[]
    readonly linked: readonly (readonly string[])[]
  }
  expect([...ignore].sort()).toEqual(
    namesOf((one) => one['private'] === true && one['name'] !== '@pet-store/api').sort(),
  )
  const DOMAIN = '@pet-store/domain'
  const sharing = namesOf(({ peerDependencies = {} }) => DOMAIN in (peerDependencies as object))
  expect(linked.map((names) => [...names].sort())).toEqual([[DOMAIN, ...sharing].sort()])
})

it('the bill of materials has what the program requires, and what is built into it', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  // Without the licences, which are in pnpm's store.
  const [command = '', ...args] = `${scripts['release:sbom']} --lockfile-only`.split(' ')
  const { components } = JSON.parse(
    execFileSync(command, args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 }),
  ) as {
    readonly components: readonly { readonly group?: string; readonly name: string }[]
  }
  const names = components.map(({ group, name }) => (group === undefined ? name : `${group}/${name}`))
  expect(names).toEqual(
    expect.arrayContaining(['express', 'pino', 'pg', 'better-sqlite3', '@mikro-orm/core', 'kysely']),
  )
  expect(names).not.toContain('vitest')
})
