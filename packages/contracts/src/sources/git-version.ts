import { spawnSync } from 'node:child_process'

/** The commit and branch for which a broker records contracts and results. */
export interface GitVersion {
  readonly commit: string
  readonly branch: string
}

/** `GIT_COMMIT` and `GIT_BRANCH`; default: those of git. Throws if there are none. */
export function gitVersion(environment: NodeJS.ProcessEnv = process.env): GitVersion {
  const commit = environment['GIT_COMMIT'] || git('rev-parse', 'HEAD')
  const branch = environment['GIT_BRANCH'] || git('branch', '--show-current')
  if (commit && branch) return { commit, branch }
  throw new RangeError('git has no commit and branch here: set GIT_COMMIT and GIT_BRANCH.')
}

function git(...args: readonly string[]): string {
  const { stdout } = spawnSync('git', args, { encoding: 'utf8', cwd: import.meta.dirname })
  return (stdout ?? '').trim()
}
