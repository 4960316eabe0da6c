import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fileAddress } from '../release/public-packages.ts'
import { ROOT } from '../root.ts'
import { requestTrail } from './request-trail.ts'

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(ROOT, file)))
const documents = files.filter((file) => file.endsWith('.md'))
const RECORDS = documents.filter((file) => /^docs\/decisions\/\d/.test(file))

const { repository } = JSON.parse(read('package.json')) as {
  readonly repository?: { readonly url: string }
}
const publicFiles = fileAddress(repository?.url ?? '')

interface Description {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly operationId: string }>>>
  >
  readonly components: { readonly schemas: { readonly Pet: { readonly properties: object } } }
}

/** The anchors of a document, as GitHub makes them from its headings. */
function anchorsOf(document: string): string[] {
  return [...read(document).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

describe('documents', () => {
  it.each(documents)('%s has only links that lead somewhere', (document) => {
    const text = read(document)
      .replaceAll(/^```[\s\S]*?^```/gm, '')
      // From the first release on, READMEs of packages link to the public address of the
      // repository.
      .replaceAll(`](${publicFiles}`, `](${relative(dirname(document), '.')}/`)
    const targets = [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(
      ([, target = '']) => target,
    )
    const broken = targets.filter((target) => {
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? document : join(dirname(document), path)
      return (
        !existsSync(join(ROOT, file)) || (anchor !== undefined && !anchorsOf(file).includes(anchor))
      )
    })
    expect(broken).toEqual([])
  })

  it.each(documents)('%s begins the items of lists with a hyphen', (document) => {
    const text = read(document).replaceAll(/^ *```[\s\S]*?^ *```/gm, '')
    expect(text.match(/^ *[*+] .*$/gm)).toBeNull()
  })

  it.each(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', ...RECORDS])(
    '%s names only files that exist',
    (document) => {
      const named = [
        ...read(document).matchAll(
          /`(\w[\w./-]*[.](?:ts|json|mjs|sh)|(?:packages|apps|docs|deploy|tools)\/[\w./-]+)`/g,
        ),
      ]
      const missing = named
        .map(([, name = '']) => name)
        .filter(
          (name) =>
            !files.some(
              (file) => file === name || file.endsWith(`/${name}`) || file.startsWith(name),
            ),
        )
      expect(missing).toEqual([])
    },
  )

  it('ARCHITECTURE.md names each file with its package', () => {
    const [, table = ''] = read('ARCHITECTURE.md').split('## Where is the code that…')
    const rows = [...table.matchAll(/^\| [^|]+ \| ([^|]*) \| (.*) \|$/gm)]
    expect(rows.length).toBeGreaterThan(10)
    for (const [, packages = '', names = ''] of rows) {
      for (const [, name] of names.matchAll(/`([\w.-]+[.]ts)`/g)) {
        const holders = files
          .filter((file) => file.endsWith(`/${name}`))
          .map((file) => file.split('/')[1])
        expect(
          packages.split(', ').filter((one) => holders.includes(one)),
          name,
        ).not.toEqual([])
      }
    }
  })

  it('ARCHITECTURE.md follows one request through the files that run, in their order', async () => {
    const [, section = ''] = read('ARCHITECTURE.md').split(/^## One request.*$/m)
    const [table = ''] = section.split('\nAn error on the way')
    const rows = table.split('\n').filter((line) => line.startsWith('| '))
    const named = rows
      .slice(1)
      .flatMap((row) => [...row.matchAll(/`([\w-]+[.]ts)`/g)].map(([, name]) => name))
    const trail = await requestTrail()
    expect(named).toEqual([...new Set(trail)].map((file) => basename(file)))
  })

  it('ARCHITECTURE.md draws the packages and the errors of that request', () => {
    const [, section = ''] = read('ARCHITECTURE.md').split(/^## One request.*$/m)
    const [, picture = '', table = ''] = section.split('```')
    const [, ...rows] = table.split('\n').filter((line) => line.startsWith('| '))
    const cells = rows.map((row) => row.split('|'))
    const named = cells.flatMap(([, where = '']) => where.match(/[a-z][\w-]+(?=,| *$)/g) ?? [])
    const drawn = [...picture.matchAll(/participant (?:\w+ as )?([\w-]+)/g)].map(([, name]) => name)
    expect(drawn).toEqual([...new Set(named)])
    const errorsIn = (text: string) => [...new Set(text.match(/\b[45]\d\d\b/g))].sort()
    expect(errorsIn(picture)).toEqual(errorsIn(cells.map((row) => row[4]).join(' ')))
  })

  it('interface.md names every operation and every field', () => {
    const { paths, components } = JSON.parse(read('docs/openapi.json')) as Description
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
    const names = [
      ...operations.map(({ operationId }) => operationId),
      ...Object.keys(components.schemas.Pet.properties),
    ]
    const text = read('docs/interface.md')
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([])
  })

  it('source names only decision records that exist', () => {
    const named = files
      .filter((file) => /[.](ts|mjs|jsonc?|ya?ml|md)$/.test(file) && !file.includes('pnpm-lock'))
      .flatMap((file) =>
        [...read(file).matchAll(/decisions\/(\d{4}-[a-z0-9-]+)/g)].map(([, record]) => [
          file,
          record,
        ]),
      )
    expect(
      named.filter(([, record]) => !existsSync(join(ROOT, `docs/decisions/${record}.md`))),
    ).toEqual([])
  })
})

describe('decision records', () => {
  it.each(RECORDS)('the decision record %s has the four sections', (record) => {
    const text = read(record)
    expect(text).toMatch(new RegExp(`^# ${/\d{4}/.exec(record)?.[0]}: `))
    const sections = ['Decision', 'Alternatives', 'Price', 'When to look again']
    const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading)
    expect(headings.filter((heading) => sections.includes(heading))).toEqual(sections)
  })

  it('the list of decision records has each record once, and no other', () => {
    const listed = [...read('docs/decisions/README.md').matchAll(/^\| \[\d+\]\((.*)\) \|/gm)]
    expect(listed.map(([, record]) => `docs/decisions/${record}`)).toEqual(RECORDS.toSorted())
  })
})
