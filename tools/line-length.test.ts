import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from './root.ts'

const MAX_COLUMNS = 100
/** The formatter wraps code, and leaves comments, strings and the titles of tests as they are. */
const CHECKED = /[.](?:ts|mjs|cjs|js|css|html|sh|ya?ml)$/
/** pnpm writes the lockfile, and a test the rules for the operator. */
const WRITTEN = /^(?:.*pnpm-lock|.*prometheus-rule)[.]yaml$/
/** An expected message of an alert is one line of YAML. */
const UNBREAKABLE = /^\s*summary: ".*"$/

it('lines have at most 100 columns, comments and strings too', () => {
  const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n')
  const checked = files.filter((file) => CHECKED.test(file) && !WRITTEN.test(file))
  const tooLong = checked.flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        Array.from(line).length > MAX_COLUMNS && !UNBREAKABLE.test(line)
          ? `${file}:${index + 1}`
          : [],
      ),
  )
  expect(tooLong).toEqual([])
})
