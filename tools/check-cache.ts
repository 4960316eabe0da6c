import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** Checks that read no documents. */
const READ_CODE_ALONE = ['types', 'lint', 'imports', 'unused', 'manifests', 'migrations', 'api', 'check:licences']

/**
 * Which checks have passed on which files: those of git's working tree, by their content, which includes the lockfile. They
 * are no tasks of turbo's root, because two of them start turbo themselves.
 */
export class CheckCache {
  readonly #root: string
  readonly #file: string
  readonly #files: readonly string[]
  readonly #passed: Record<string, string>

  private constructor(root: string, files: readonly string[], isEmptied: boolean) {
    this.#root = root
    this.#file = join(root, 'node_modules/.cache/passed-checks.json')
    this.#files = files
    this.#passed =
      existsSync(this.#file) && !isEmptied
        ? (JSON.parse(readFileSync(this.#file, 'utf8')) as Record<string, string>)
        : {}
  }

  /** The cache of a repository, without what it has so far if `isEmptied`; undefined where there is no git. */
  static open(isEmptied = false, root = ROOT): CheckCache | undefined {
    try {
      return new CheckCache(root, filesOf(root), isEmptied)
    } catch {
      return undefined
    }
  }

  hasPassed(script: string): boolean {
    return this.#passed[script] === this.#digest(script)
  }

  /** Adds a check that has passed, unless a file has changed since the cache was opened. */
  add(script: string): void {
    if (filesOf(this.#root).join() !== this.#files.join()) return
    this.#passed[script] = this.#digest(script)
    mkdirSync(dirname(this.#file), { recursive: true })
    writeFileSync(this.#file, JSON.stringify(this.#passed))
  }

  #digest(script: string): string {
    const files = this.#files.filter((line) => !(READ_CODE_ALONE.includes(script) && line.endsWith('.md')))
    const { version, env } = process
    const around = [version, env['PATH'], env['TEST_DATABASE_URL']]
    return createHash('sha256')
      .update(JSON.stringify([around, files]))
      .digest('hex')
  }
}

/** One line for each file that git tracks or would track, with the hash of its content in the working tree. */
function filesOf(root: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'check-cache-'))
  try {
    // A copy, so that nothing is staged.
    const index = join(folder, 'index')
    const git = (...args: string[]) =>
      execFileSync('git', args, {
        cwd: root,
        encoding: 'utf8',
        env: { ...process.env, GIT_INDEX_FILE: index },
        maxBuffer: 2 ** 26,
        stdio: ['ignore', 'pipe', 'ignore'],
      })
    const { GIT_INDEX_FILE: _, ...env } = process.env
    const own = execFileSync('git', ['rev-parse', '--git-path', 'index'], { cwd: root, encoding: 'utf8', env })
    if (existsSync(resolve(root, own.trim()))) copyFileSync(resolve(root, own.trim()), index)
    git('add', '--all')
    return git('ls-files', '--stage').trimEnd().split('\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
}
